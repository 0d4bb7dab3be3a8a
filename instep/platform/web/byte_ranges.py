"""Byte ranges of a response (RFC 9110, section 14)."""

import re
from dataclasses import dataclass

from instep.platform.core.errors import AppError

# A single range; a request for several gets the whole file, as section 14.2 allows.
BYTE_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")


class RangeNotSatisfiable(AppError):
    """The file has no bytes in this range."""

    status = 416


@dataclass(frozen=True, slots=True)
class ByteRange:
    """The bytes from `start` up to `end` (exclusive), of `length`."""

    start: int
    end: int
    length: int

    @property
    def is_whole(self) -> bool:
        return (self.start, self.end) == (0, self.length)

    @property
    def content_range(self) -> str:
        return f"bytes {self.start}-{self.end - 1}/{self.length}"


def requested_range(header: str | None, length: int) -> ByteRange:
    """The requested range; the whole file without one, or if its form is not supported.

    Raises `RangeNotSatisfiable` (416) for a range after the end.
    """
    match = BYTE_RANGE.fullmatch(header.replace(" ", "")) if header else None
    if match is None or match.groups() == ("", ""):
        return ByteRange(0, length, length)
    first, last = match.groups()
    if not first:
        start, end = max(length - int(last), 0), length
    else:
        start, end = int(first), min(int(last) + 1, length) if last else length
        if last and int(last) < start:
            return ByteRange(0, length, length)
    if start >= end:
        raise RangeNotSatisfiable(headers={"Content-Range": f"bytes */{length}"})
    return ByteRange(start, end, length)
