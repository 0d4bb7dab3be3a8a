"""Arrays with a header in one piece of bytes, as indexes are stored: a mapped file is read in place.

It consists of the length of a JSON header (4 bytes), the header, and the arrays.
"""

import json
from collections.abc import Mapping
from mmap import mmap
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
# The arrays begin at multiples of this, so that NumPy need not copy them to read them.
ALIGNMENT = 8


class DamagedIndex(Exception):
    """The bytes are not a valid stored index."""


class PackedArrays(NamedTuple):
    """A header, and arrays by name with their offsets in the bytes."""

    header: dict[str, Any]
    arrays: dict[str, Array]
    starts: dict[str, int]


def pack(header: Mapping[str, Any], arrays: Mapping[str, Array]) -> bytes:
    layout = [(name, array.dtype.str, len(array)) for name, array in arrays.items()]
    encoded = json.dumps({**header, "arrays": layout}).encode()
    # JSON may end with spaces.
    encoded += b" " * padding(4 + len(encoded))
    parts = (array.tobytes() + bytes(padding(array.nbytes)) for array in arrays.values())
    return b"".join((len(encoded).to_bytes(4, "big"), encoded, *parts))


def unpack(data: bytes | mmap, expected: Mapping[str, Any]) -> PackedArrays | None:
    """The arrays in `data`, which stays in memory; `None` if its header has other values than `expected`.

    Raises `DamagedIndex` if `pack` did not produce it.
    """
    try:
        end = 4 + int.from_bytes(data[:4], "big")
        header = json.loads(data[4:end])
        if any(header[name] != value for name, value in expected.items()):
            return None
        arrays, starts = {}, {}
        for name, type_, count in header["arrays"]:
            arrays[name], starts[name] = np.frombuffer(data, type_, count, end), end
            end += arrays[name].nbytes + padding(arrays[name].nbytes)
        if end != len(data):
            raise ValueError(f"{len(data)} bytes instead of {end}")
    except (ValueError, LookupError, TypeError) as error:
        raise DamagedIndex(f"a stored index is damaged: {error}") from error
    return PackedArrays(header, arrays, starts)


def padding(count: int) -> int:
    """The number of padding bytes after `count` bytes, so that the next array is aligned to `ALIGNMENT`."""
    return -count % ALIGNMENT
