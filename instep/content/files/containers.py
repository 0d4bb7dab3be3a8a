"""Strips metadata, comments, unknown parts and trailing bytes from images.

The compressed data does not change, so nothing is lost. Each function raises `BrokenPicture` for bytes that
do not follow the format.
"""

import re
from collections.abc import Callable, Iterator

from instep.content.files.kinds import GIF, JPEG, PNG, WEBP, FileKind

# PNG (W3C, third edition): the image, its animation and its colors.
PNG_CHUNKS = {
    *(b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"acTL", b"fcTL", b"fdAT"),
    *(b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"cICP", b"sBIT", b"bKGD", b"pHYs"),
}
PNG_SIGNATURE_BYTES = 8
# WebP (RFC 9649): the image, its animation and its colors.
WEBP_CHUNKS = {b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ANIM", b"ANMF", b"ICCP"}
FRAME_HEADER_BYTES = 16
FRAME_CHUNKS = {b"VP8 ", b"VP8L", b"ALPH"}
# The flags of VP8X that announce Exif and XMP.
METADATA_FLAGS = 0x08 | 0x04
# JPEG (ITU-T T.81): markers without a length, and the application segments that are kept.
BARE_MARKERS = {0x01, *range(0xD0, 0xD8)}
START_OF_SCAN, END_OF_IMAGE = 0xDA, 0xD9
# In compressed data, a zero after 0xFF means the byte itself; restarts belong to the data.
NEXT_MARKER = re.compile(rb"\xff[^\x00\x01\xd0-\xd7\xff]")
APPLICATION_SEGMENTS = range(0xE0, 0xF0)
COMMENT_SEGMENT = 0xFE
KEPT_APPLICATIONS = ((0xE0, b"JFIF\0"), (0xE2, b"ICC_PROFILE\0"), (0xEE, b"Adobe"))
# GIF89a: the labels of its blocks.
EXTENSION, IMAGE, TRAILER = 0x21, 0x2C, 0x3B
GRAPHIC_CONTROL, APPLICATION = 0xF9, 0xFF
LOOPS = (b"NETSCAPE2.0", b"ANIMEXTS1.0")
GIF_HEADER_BYTES = 13
IMAGE_DESCRIPTOR_BYTES = 10


class BrokenPicture(Exception):
    """The bytes do not follow their format."""


def strip_picture(data: bytes, kind: FileKind) -> bytes:
    """The image without anything else; the same bytes always give the same result."""
    return STRIPPERS[kind](data)


def piece_of(data: bytes, start: int, length: int) -> bytes:
    """A complete piece of the data; raises `BrokenPicture` if it is cut off."""
    piece = data[start : start + length]
    if len(piece) < length:
        raise BrokenPicture
    return piece


def strip_png(data: bytes) -> bytes:
    parts = [data[:PNG_SIGNATURE_BYTES]]
    start = PNG_SIGNATURE_BYTES
    while True:
        length = int.from_bytes(piece_of(data, start, 4), "big")
        name = piece_of(data, start + 4, 4)
        chunk = piece_of(data, start, length + 12)
        if name in PNG_CHUNKS:
            parts.append(chunk)
        if name == b"IEND":
            return b"".join(parts)
        start += length + 12


def strip_webp(data: bytes) -> bytes:
    end = min(8 + int.from_bytes(piece_of(data, 4, 4), "little"), len(data))
    body = b"".join(stripped_chunk(*chunk) for chunk in riff_chunks(data, 12, end) if chunk[0] in WEBP_CHUNKS)
    return b"RIFF" + (4 + len(body)).to_bytes(4, "little") + b"WEBP" + body


def riff_chunks(data: bytes, start: int, end: int) -> Iterator[tuple[bytes, bytes]]:
    """The name and content of each chunk; a chunk of odd length is followed by a padding byte."""
    while start < end:
        length = int.from_bytes(piece_of(data, start + 4, 4), "little")
        if start + 8 + length > end:
            raise BrokenPicture
        yield data[start : start + 4], data[start + 8 : start + 8 + length]
        start += 8 + length + length % 2


def stripped_chunk(name: bytes, content: bytes) -> bytes:
    if name == b"VP8X":
        content = bytes([piece_of(content, 0, 1)[0] & ~METADATA_FLAGS]) + content[1:]
    if name == b"ANMF":
        parts = riff_chunks(content, FRAME_HEADER_BYTES, len(content))
        frame = b"".join(riff_chunk(*part) for part in parts if part[0] in FRAME_CHUNKS)
        content = piece_of(content, 0, FRAME_HEADER_BYTES) + frame
    return riff_chunk(name, content)


def riff_chunk(name: bytes, content: bytes) -> bytes:
    return name + len(content).to_bytes(4, "little") + content + b"\0" * (len(content) % 2)


def strip_jpeg(data: bytes) -> bytes:
    parts = [data[:2]]
    start = 2
    while True:
        marker, start = marker_at(data, start)
        if marker == END_OF_IMAGE:
            return b"".join((*parts, b"\xff\xd9"))
        if marker in BARE_MARKERS:
            parts.append(bytes((0xFF, marker)))
            continue
        length = int.from_bytes(piece_of(data, start, 2), "big")
        segment = piece_of(data, start, max(length, 2))
        start += len(segment)
        if is_part_of_jpeg(marker, segment[2:]):
            parts += (bytes((0xFF, marker)), segment)
        if marker == START_OF_SCAN:
            end = end_of_scan(data, start)
            parts.append(data[start:end])
            start = end


def marker_at(data: bytes, start: int) -> tuple[int, int]:
    """The marker at `start`, after optional fill bytes, and the offset of its content."""
    if piece_of(data, start, 1) != b"\xff":
        raise BrokenPicture
    while piece_of(data, start, 1) == b"\xff":
        start += 1
    return data[start], start + 1


def is_part_of_jpeg(marker: int, content: bytes) -> bool:
    if marker in APPLICATION_SEGMENTS:
        return any(marker == number and content.startswith(name) for number, name in KEPT_APPLICATIONS)
    return marker != COMMENT_SEGMENT


def end_of_scan(data: bytes, start: int) -> int:
    """The offset of the next marker after the compressed data."""
    marker = NEXT_MARKER.search(data, start)
    if marker is None:
        raise BrokenPicture
    return marker.start()


def strip_gif(data: bytes) -> bytes:
    start = GIF_HEADER_BYTES + color_table_bytes(piece_of(data, 10, 1)[0])
    parts = [piece_of(data, 0, start)]
    while True:
        label = piece_of(data, start, 1)[0]
        if label == TRAILER:
            return b"".join((*parts, b"\x3b"))
        if label == IMAGE:
            flags = piece_of(data, start + IMAGE_DESCRIPTOR_BYTES - 1, 1)[0]
            # The byte after the color table is the code size of the compressed data.
            blocks = start + IMAGE_DESCRIPTOR_BYTES + color_table_bytes(flags) + 1
        elif label == EXTENSION:
            blocks = start + 2
        else:
            raise BrokenPicture
        end = end_of_blocks(data, blocks)
        if label == IMAGE or is_part_of_gif(data[start + 1], data[blocks:end]):
            parts.append(data[start:end])
        start = end


def color_table_bytes(flags: int) -> int:
    return 3 * 2 ** ((flags & 7) + 1) if flags & 0x80 else 0


def end_of_blocks(data: bytes, start: int) -> int:
    """The offset after a sequence of blocks, each with its length before it; the last has length 0."""
    while length := piece_of(data, start, 1)[0]:
        start += length + 1
    return start + 1


def is_part_of_gif(label: int, blocks: bytes) -> bool:
    """True if an extension says how a frame is shown, or how often the animation repeats."""
    return label == GRAPHIC_CONTROL or (label == APPLICATION and blocks[1:12] in LOOPS)


STRIPPERS: dict[FileKind, Callable[[bytes], bytes]] = {
    PNG: strip_png,
    JPEG: strip_jpeg,
    GIF: strip_gif,
    WEBP: strip_webp,
}
