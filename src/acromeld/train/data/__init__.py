# SPDX-License-Identifier: Apache-2.0
"""From sealed documents to batches: page cache, shared transform, augmentation, sampling, loading."""
