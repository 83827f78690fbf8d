# SPDX-License-Identifier: Apache-2.0
"""Messages from a process that may have been taken over by a hostile file."""

import io
import json
import struct

import numpy as np
import pytest

from acromeld.pdf.wire import receive, send


def message(header: object, payload: bytes = b"") -> io.BytesIO:
    data = header if isinstance(header, bytes) else json.dumps(header).encode()
    return io.BytesIO(struct.pack("<I", len(data)) + data + payload)


def test_there_and_back():
    arrays = {
        "a": np.arange(6, dtype=np.float64).reshape(2, 3)[:, ::-1],
        "b": np.array([True, False]),
        "none": np.zeros((0, 4)),
    }
    stream = io.BytesIO()
    send(stream, {"word": "申請"}, arrays)
    send(stream, {"second": 2})
    stream.seek(0)
    body, got = receive(stream)
    assert body == {"word": "申請"}
    assert all(
        np.array_equal(arrays[name], got[name]) and arrays[name].dtype == got[name].dtype for name in arrays
    )
    assert receive(stream) == ({"second": 2}, {})


BROKEN = {
    "nothing": io.BytesIO(b""),
    "half a length": io.BytesIO(b"\x01\x00"),
    "half a header": io.BytesIO(struct.pack("<I", 99) + b"{}"),
    "a header of gigabytes": io.BytesIO(struct.pack("<I", 2**32 - 1)),
    "not JSON": message(b"hello"),
    "not UTF-8": message(b"\xff\xfe\xfa\xfb"),
    "no arrays": message({"body": {}}),
    "missing bytes": message({"body": {}, "arrays": [["a", "float64", [4]]]}, b"12345678"),
    "objects": message({"body": {}, "arrays": [["a", "object", [1]]]}, b"12345678"),
    "negative shape": message({"body": {}, "arrays": [["a", "float64", [-4]]]}, bytes(64)),
    "a shape beyond memory": message({"body": {}, "arrays": [["a", "float64", [2**40, 2**10]]]}, bytes(64)),
    "a shape of words": message({"body": {}, "arrays": [["a", "float64", ["x"]]]}, bytes(64)),
    "a list": message([1, 2]),
}


@pytest.mark.parametrize("stream", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_message_is_the_end_of_the_conversation(stream):
    """These are the errors after which the owner replaces the process."""
    with pytest.raises((EOFError, ValueError, KeyError, TypeError)):
        receive(stream)
