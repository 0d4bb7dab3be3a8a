"""Small sample files of every kind."""

import io
import struct
import zipfile
import zlib
from typing import Any

from PIL import Image

SECRET = "52.5163N 13.3777E"
EXIF_DESCRIPTION, EXIF_ORIENTATION = 0x010E, 0x0112


def picture(format: str = "PNG", width: int = 6, height: int = 4, shade: int = 90, **options: Any) -> bytes:
    output = io.BytesIO()
    Image.new("RGB", (width, height), (shade, 20, 30)).save(output, format, **options)
    return output.getvalue()


def with_metadata(format: str, orientation: int = 1) -> bytes:
    """A picture that contains its location in every metadata field of its format."""
    exif = Image.Exif()
    exif[EXIF_DESCRIPTION] = SECRET
    exif[EXIF_ORIENTATION] = orientation
    options: dict[str, Any] = {
        "PNG": {"exif": exif},
        "JPEG": {"exif": exif, "comment": SECRET.encode()},
        "GIF": {"comment": SECRET.encode()},
        "WEBP": {"exif": exif, "xmp": SECRET.encode()},
        "AVIF": {"exif": exif, "xmp": SECRET.encode()},
    }
    return picture(format, **options[format])


def animation(format: str) -> bytes:
    frames = [Image.new("RGB", (6, 4), (shade, 20, 30)) for shade in (10, 120, 230)]
    output = io.BytesIO()
    frames[0].save(output, format, save_all=True, append_images=frames[1:], duration=100, loop=0)
    return output.getvalue()


def archive(**members: str) -> bytes:
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w") as opened:
        for name, text in members.items():
            opened.writestr(name, text)
    return output.getvalue()


def png_of_size(width: int, height: int) -> bytes:
    """A PNG of one color, so that it is small whatever its dimensions."""
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    row = b"\0" * (1 + -(-width // 8))
    compressor = zlib.compressobj(9)
    data = b"".join(compressor.compress(row) for _ in range(height)) + compressor.flush()
    chunks = ((b"IHDR", header), (b"IDAT", data), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(png_chunk(*chunk) for chunk in chunks)


def png_chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
MP4 = b"\0\0\0\x18ftypisom\0\0\2\0isomiso2" + b"\0\0\0\x08mdat"
WEBM = b"\x1a\x45\xdf\xa3\x9fB\x86\x81\1B\xf7\x81\1B\xf2\x81\4B\xf3\x81\x08B\x82\x84webm" + b"\0" * 40
# Name, bytes, media type, URL extension, and whether a browser displays the file.
KINDS = [
    ("dashboard.png", picture("PNG"), "image/png", "png", True),
    ("photo.jpeg", picture("JPEG"), "image/jpeg", "jpg", True),
    ("steps.gif", picture("GIF"), "image/gif", "gif", True),
    ("small.webp", picture("WEBP"), "image/webp", "webp", True),
    ("smaller.avif", picture("AVIF"), "image/avif", "avif", True),
    ("manual.pdf", PDF, "application/pdf", "pdf", False),
    ("examples.zip", archive(readme="Hello."), "application/zip", "zip", False),
    ("prices.csv", b"plan,price\nsmall,9\n", "text/csv", "csv", False),
    ("notes.txt", "Grüße.\n".encode(), "text/plain", "txt", False),
    ("settings.json", b'{"port": 8000}', "application/json", "json", False),
    ("tour.mp4", MP4, "video/mp4", "mp4", False),
    ("tour.webm", WEBM, "video/webm", "webm", False),
]
