"""AVIF without metadata (ISO/IEC 14496-12 and 23008-12): what is no part of the picture is overwritten.

Offsets in the file point to its data, so nothing moves: only what follows the last box is cut off.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from instep.content.files.parts import BrokenPicture, piece_of

PICTURE_BOXES = {b"ftyp", b"meta", b"mdat", b"moov"}
METADATA_ITEMS = {b"Exif", b"mime", b"uri "}
# Parts of `meta` that say nothing about the picture.
UNUSED_PARTS = {b"free", b"skip", b"uuid", b"udta"}
# A type that readers skip.
UNUSED = b"free"
HEADER_BYTES = 8
# Version and flags of a full box.
VERSION_BYTES = 4
MAX_ITEMS = 1_000


@dataclass(frozen=True, slots=True)
class Box:
    """A box: its type, and where it and its content lie in the file."""

    kind: bytes
    start: int
    content: int
    end: int


@dataclass(frozen=True, slots=True)
class Extent:
    """Where bytes of an item lie."""

    item: int
    start: int
    end: int


def strip_avif(data: bytes) -> bytes:
    boxes = list(boxes_of(data, 0, len(data), is_file=True))
    picture = bytearray(data[: boxes[-1].end])
    for box in boxes:
        if box.kind not in PICTURE_BOXES:
            blank(picture, box)
    metas = [box for box in boxes if box.kind == b"meta"]
    if len(metas) != 1:
        raise BrokenPicture
    strip_meta(data, picture, metas[0], boxes)
    return bytes(picture)


def strip_meta(data: bytes, picture: bytearray, meta: Box, boxes: list[Box]) -> None:
    """Take metadata out of the description of the items, and out of the data that they point to."""
    parts = parts_of_meta(data, picture, meta)
    metadata_items = {item for item, kind, _ in item_types(data, parts[b"iinf"]) if kind in METADATA_ITEMS}
    for item, _, place in item_types(data, parts[b"iinf"]):
        if item in metadata_items:
            picture[place : place + 4] = UNUSED
    extents = list(extents_of(data, parts[b"iloc"], parts.get(b"idat")))
    for extent in extents:
        if extent.item in metadata_items:
            picture[extent.start : extent.end] = bytes(extent.end - extent.start)
    # An image sequence points to its frames from `moov`.
    if all(box.kind != b"moov" for box in boxes):
        for box in boxes:
            blank_unused(picture, box, extents)


def parts_of_meta(data: bytes, picture: bytearray, meta: Box) -> dict[bytes, Box]:
    """The boxes that describe the items, each by its type; others are overwritten."""
    parts: dict[bytes, Box] = {}
    for part in boxes_of(data, meta.content + VERSION_BYTES, meta.end):
        if part.kind in UNUSED_PARTS:
            blank(picture, part)
        elif parts.setdefault(part.kind, part) is not part:
            raise BrokenPicture
    return parts


def blank(picture: bytearray, box: Box) -> None:
    picture[box.start + 4 : box.start + HEADER_BYTES] = UNUSED
    picture[box.content : box.end] = bytes(box.end - box.content)


def blank_unused(picture: bytearray, box: Box, extents: list[Extent]) -> None:
    """Overwrite the data that no item points to."""
    if box.kind != b"mdat":
        return
    at = box.content
    for extent in sorted(extents, key=lambda extent: extent.start):
        if at < extent.start <= box.end:
            picture[at : extent.start] = bytes(extent.start - at)
        if box.content <= extent.start < box.end:
            at = max(at, min(extent.end, box.end))
    picture[at : box.end] = bytes(box.end - at)


def boxes_of(data: bytes, start: int, end: int, *, is_file: bool = False) -> Iterator[Box]:
    """The boxes between two places; in a file, bytes that are no box end it."""
    while start < end:
        length = int.from_bytes(data[start : start + 4], "big")
        kind = data[start + 4 : start + HEADER_BYTES]
        content = start + HEADER_BYTES
        if length == 1:
            length = int.from_bytes(data[content : content + 8], "big")
            content += 8
        elif length == 0:
            length = end - start
        if length < content - start or start + length > end:
            if is_file and start:
                return
            raise BrokenPicture
        yield Box(kind, start, content, start + length)
        start += length


def item_types(data: bytes, iinf: Box) -> Iterator[tuple[int, bytes, int]]:
    """The number and type of each item, and where its type stands."""
    is_long = piece_of(data, iinf.content, 1) != b"\0"
    first = iinf.content + VERSION_BYTES + (4 if is_long else 2)
    for number, entry in enumerate(boxes_of(data, first, iinf.end)):
        version = piece_of(data, entry.content, 1)[0]
        if number > MAX_ITEMS or version not in (2, 3):
            raise BrokenPicture
        width = 2 if version == 2 else 4
        place = entry.content + VERSION_BYTES
        item = int.from_bytes(piece_of(data, place, width), "big")
        # The index of its protection stands between number and type.
        yield item, piece_of(data, place + width + 2, 4), place + width + 2


@dataclass(slots=True)
class Fields:
    """Reads numbers one after the other."""

    data: bytes
    at: int

    def number(self, width: int) -> int:
        value = int.from_bytes(piece_of(self.data, self.at, width), "big")
        self.at += width
        return value


def extents_of(data: bytes, iloc: Box, idat: Box | None) -> Iterator[Extent]:
    """Where the data of each item lie (ISO/IEC 14496-12, section 8.11.3), in the file or in its `idat`."""
    fields = Fields(data, iloc.content)
    version = fields.number(VERSION_BYTES) >> 24
    sizes = fields.number(2)
    offset_width, length_width, base_width = sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15
    index_width = sizes & 15 if version else 0
    item_width = 2 if version < 2 else 4
    for _ in range(bounded(fields.number(item_width))):
        item = fields.number(item_width)
        method = fields.number(2) & 15 if version else 0
        fields.number(2)
        base = fields.number(base_width) + (idat.content if idat and method == 1 else 0)
        for _ in range(bounded(fields.number(2))):
            fields.number(index_width)
            start = base + fields.number(offset_width)
            end = start + fields.number(length_width)
            if method > 1 or end > len(data):
                raise BrokenPicture
            yield Extent(item, start, end)


def bounded(count: int) -> int:
    if count > MAX_ITEMS:
        raise BrokenPicture
    return count
