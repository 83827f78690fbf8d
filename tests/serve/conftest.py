# SPDX-License-Identifier: Apache-2.0
import pytest

from tests.serve.running import Gate, running


@pytest.fixture(scope="module")
def server():
    """One server for the tests of a module, with limits that tests can reach."""
    with running(upload_bytes=2 * 1024**2, pages=3) as up:
        yield up


@pytest.fixture
def gate(tmp_path):
    return Gate(tmp_path)
