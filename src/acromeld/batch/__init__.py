# SPDX-License-Identifier: Apache-2.0
"""Many files: a journal that survives being killed, disposable workers, a pool or Ray to run them.

Documents are worked on in processes that cannot write files and may die at any time. One process, the owner
of the journal, gives the jobs and writes the outputs.
"""
