"""Hostile files, reproducible by their seed."""

import io
import random
import struct
import zipfile
import zlib
from collections.abc import Callable

from tests.support.file_samples import (
    KINDS,
    PDF,
    animation,
    archive,
    picture,
    png_chunk,
    png_of_size,
    with_metadata,
)

SCRIPT = b"<script>alert(document.domain)</script>"
HTML = b"<!doctype html><html><body onload=alert(1)>" + SCRIPT + b"</body></html>"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">' + SCRIPT + b"</svg>"
PROGRAMS = (
    b"MZ\x90\0\3\0\0\0",
    b"\x7fELF\2\1\1\0",
    b"#!/bin/sh\necho <script>\n",
    b"\xca\xfe\xba\xbe\0\0\0\x34",
)
NAMES = (
    "../../../../etc/passwd",
    "..\\..\\windows\\system32\\drivers\\etc\\hosts",
    "/absolute/path.png",
    "nul\0byte.png",
    "line\r\nSet-Cookie: a=b\r\n.png",
    "<script>alert(1)</script>.png",
    "'; drop table files; --.csv",
    "page.html",
    "logo.svg",
    "shell.php.png",
    "invoice.pdf.exe",
    "\u202egnp.exe",
    ".htaccess",
    "CON",
    "%2e%2e%2fpasswd",
    "a" * 200,
    "\u0430\u200b\ufeff.png",
    "{{7*7}}.txt",
    "data.json",
    "data.csv",
)
PICTURES = ("PNG", "JPEG", "GIF", "WEBP", "AVIF")
Maker = Callable[[random.Random], bytes]


def hostile_file(number: int) -> tuple[str, bytes]:
    """The name and contents of a hostile file."""
    chance = random.Random(number)
    maker = MAKERS[number % len(MAKERS)]
    return chance.choice(NAMES), maker(chance)


def page(chance: random.Random) -> bytes:
    """HTML, SVG or XML, after something harmless."""
    before = (
        b"",
        b" \n\t",
        b"\xef\xbb\xbf",
        b"<!-- " + b"x" * 600 + b" -->",
        b"Hello.\n" * 100,
        b"GIF89a=1;",
    )
    kinds = (HTML, SVG, b'<?xml version="1.0"?>' + SVG, SCRIPT, b"<iframe src=javascript:alert(1)>")
    text = chance.choice(before) + chance.choice(kinds)
    return text if chance.random() < 0.8 else text.swapcase()


def wide_page(chance: random.Random) -> bytes:
    encoding = chance.choice(("utf-16", "utf-16-be", "utf-32", "utf-7", "cp037"))
    return HTML.decode().encode(encoding)


def picture_with_page_behind(chance: random.Random) -> bytes:
    return picture(chance.choice(PICTURES), shade=chance.randrange(256)) + chance.choice((HTML, SVG, PDF))


def picture_with_page_inside(chance: random.Random) -> bytes:
    """A picture with a script in a comment or a chunk."""
    plain = picture(shade=chance.randrange(256))
    chunk = png_chunk(chance.choice((b"tEXt", b"zTXt", b"iTXt", b"eXIf", b"evIL")), b"Comment\0" + HTML)
    jpeg = picture("JPEG", comment=HTML, shade=chance.randrange(256))
    gif = picture("GIF", comment=HTML[:200], shade=chance.randrange(256))
    return chance.choice((plain[:33] + chunk + plain[33:], jpeg, gif, with_metadata(chance.choice(PICTURES))))


def script_as_gif(chance: random.Random) -> bytes:
    """A GIF whose size field starts a comment in JavaScript."""
    return b"GIF89a/*" + picture("GIF", shade=chance.randrange(256))[8:] + b"*/=1;alert(1);//"


def broken_picture(chance: random.Random) -> bytes:
    """A picture with some bytes replaced, removed or inserted."""
    data = bytearray(chance.choice((picture, animation))(chance.choice(("PNG", "GIF", "WEBP"))))
    for _ in range(chance.randrange(1, 12)):
        place = chance.randrange(len(data))
        action = chance.randrange(3)
        if action == 0:
            data[place] = chance.randrange(256)
        elif action == 1:
            del data[place : place + chance.randrange(1, 9)]
        else:
            data[place:place] = bytes(chance.choices(range(256), k=chance.randrange(1, 9)))
        data = data or bytearray(b"\0")
    return bytes(data)


def broken_container(chance: random.Random) -> bytes:
    """A JPEG or AVIF with wrong length fields."""
    data = bytearray(picture(chance.choice(("JPEG", "AVIF")), shade=chance.randrange(256)))
    place = chance.randrange(len(data) - 4)
    data[place : place + 4] = struct.pack(">I", chance.choice((0, 1, 7, 8, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF)))
    return bytes(data)


def truncated(chance: random.Random) -> bytes:
    data = chance.choice(KINDS)[1]
    return data[: chance.randrange(len(data))]


def bomb(chance: random.Random) -> bytes:
    """A small file that expands to, or claims to be, a huge one."""
    huge = struct.pack(">IIBBBBB", 2**31 - 1, 2**31 - 1, 8, 6, 0, 0, 0)
    return chance.choice(
        (
            b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", huge) + png_chunk(b"IEND", b""),
            png_of_size(9_000, 9_000),
            png_of_size(6_000, 6_000)[:-12]
            + png_chunk(b"iTXt", b"a\0\1\0\0\0" + zlib.compress(b"\0" * 10**7)),
            b"GIF89a\xff\xff\xff\xff\x80\0\0" + b"\0" * 6 + b"\x2c\0\0\0\0\xff\xff\xff\xff\0\x02\0\x3b",
            b"RIFF\x1e\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff",
            b"[" * 200_000,
            b'{"a":' * 100_000,
            zip_bomb(),
        )
    )


def zip_bomb() -> bytes:
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as opened:
        for number in range(20):
            opened.writestr(f"{number}", b"\0" * 1_000_000)
    return output.getvalue()


def archive_of_harm(chance: random.Random) -> bytes:
    """An archive that is also another format, or whose members' names are paths."""
    members = archive(**{chance.choice(("../../etc/passwd", "index.html", "a.exe")): SCRIPT.decode()})
    before = chance.choice((b"", HTML, picture("GIF"), PDF, PROGRAMS[0]))
    return before + members


def document_with_page(chance: random.Random) -> bytes:
    return chance.choice(
        (
            PDF + HTML,
            HTML + PDF,
            PDF.replace(b"/Catalog", b"/Catalog/OpenAction<</S/JavaScript/JS(app.alert(1))>>"),
        )
    )


def program(chance: random.Random) -> bytes:
    return chance.choice(PROGRAMS) + bytes(chance.choices(range(256), k=chance.randrange(200)))


def noise(chance: random.Random) -> bytes:
    return bytes(chance.choices(range(256), k=chance.choice((0, 1, 2, 3, 7, 8, 63, 64, 1_000, 70_000))))


def signature_and_noise(chance: random.Random) -> bytes:
    return chance.choice(KINDS)[1][: chance.randrange(4, 24)] + noise(chance)


def repeated(chance: random.Random) -> bytes:
    """A file that makes parsers of containers iterate for a long time."""
    return chance.choice(
        (
            b"\xff\xd8" + b"\xff" * 300_000,
            picture("JPEG")[:-2] + b"\xff\x00" * 300_000,
            b"\x89PNG\r\n\x1a\n" + png_chunk(b"tEXt", b"") * 20_000,
            b"GIF89a\1\0\1\0\0\0\0" + b"\x21\xfe\0" * 100_000 + b";",
            b"RIFF\xff\xff\xff\x7fWEBP" + b"EXIF\0\0\0\0" * 50_000,
            b"\0\0\0\x18ftypavif\0\0\0\0mif1avif" + b"\0\0\0\x08free" * 50_000,
            b"<" * 300_000,
        )
    )


MAKERS: tuple[Maker, ...] = (
    *(page, wide_page, picture_with_page_behind, picture_with_page_inside, script_as_gif, broken_picture),
    *(broken_container, truncated, bomb, archive_of_harm, document_with_page, program, noise),
    *(signature_and_noise, repeated),
)
