"""Reading pieces of pictures whose lengths the sender has written."""


class BrokenPicture(Exception):
    """The bytes are not built as their format says."""


def piece_of(data: bytes, start: int, length: int) -> bytes:
    """A piece that must be there whole."""
    piece = data[start : start + length]
    if start < 0 or len(piece) < length:
        raise BrokenPicture
    return piece
