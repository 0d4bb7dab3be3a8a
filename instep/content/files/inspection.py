"""Detects a file's type from its bytes and makes its served form, in a process that can be killed."""

import re
import zipfile
from dataclasses import dataclass
from io import BytesIO

from pydantic_core import from_json

from instep.content.files.kinds import JSON, TEXTS, TXT, ZIP, FileKind, UnsupportedType, kind_of_bytes
from instep.content.files.pictures import read_picture

UTF8_MARK = b"\xef\xbb\xbf"
# Binary data bytes according to the WHATWG (MIME Sniffing, section 3).
BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]")
# Elements for which a browser may show a text as a page, for example after the download is renamed.
MARKUP = re.compile(
    rb"<(?:!doctype|!--|\?xml|html|head|body|script|style|svg|math|iframe|frameset|object|embed|form|meta|link"
    rb"|base|img|video|audio|template)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Inspection:
    """The served form of a file: its kind, its bytes, and the size of an image in pixels."""

    kind: FileKind
    content: bytes
    width: int | None = None
    height: int | None = None


def inspect_file(data: bytes, name: str) -> Inspection:
    """Raise `UnsupportedType`, or `PictureTooLarge` for an image with too many pixels."""
    kind = kind_of_bytes(data)
    if kind is None:
        return Inspection(kind_of_text(data, name), data)
    if kind.is_picture:
        picture = read_picture(data, kind)
        return Inspection(kind, picture.content, picture.width, picture.height)
    if kind == ZIP and not zipfile.is_zipfile(BytesIO(data)):
        raise UnsupportedType("The ZIP file is incomplete: create it again and send all of it.")
    return Inspection(kind, data)


def kind_of_text(data: bytes, name: str) -> FileKind:
    """The kind of a text file, by its name among the supported kinds."""
    if not data:
        raise UnsupportedType("The file is empty: send its bytes as the body of the request.")
    if BINARY.search(data) or not is_utf8(data):
        raise UnsupportedType
    named = (kind for kind in TEXTS if name.lower().endswith(f".{kind.extension}"))
    kind = next(named, TXT)
    if kind == JSON:
        refuse_other_than_json(data)
    elif data.removeprefix(UTF8_MARK).lstrip()[:1] == b"<" or MARKUP.search(data):
        raise UnsupportedType("This text looks like HTML or XML, which can't be stored as a file.")
    return kind


def is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def refuse_other_than_json(data: bytes) -> None:
    try:
        from_json(data.removeprefix(UTF8_MARK), allow_inf_nan=False)
    except ValueError:
        raise UnsupportedType("The file is named as JSON, but its text is not JSON.") from None
