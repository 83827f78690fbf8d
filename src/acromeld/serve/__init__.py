# SPDX-License-Identifier: Apache-2.0
"""The HTTP service: the main job for programs that would rather post a file than start a process.

Start at `acromeld.serve.app` for the routes, at `acromeld.serve.pool` for the processes that do the work, and
at `acromeld.serve.guards` for what keeps other people's web pages out.
"""
