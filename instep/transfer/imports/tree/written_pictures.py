"""Images embedded in a text, as `data:` URLs (RFC 2397)."""

import re
from base64 import b64decode
from binascii import Error
from urllib.parse import unquote

from instep.transfer.imports.tree.schemas import SourceFiles

_WRITTEN = re.compile(r"data:image/([a-z]+)[\w.+-]*(?:;[\w.=-]+)*,", re.IGNORECASE)
_BASE64 = re.compile(r"[^,]*;base64\Z", re.IGNORECASE)


def is_written_picture(address: str) -> bool:
    return _WRITTEN.match(address) is not None


def content_of(files: SourceFiles, path: str) -> bytes:
    """The bytes of a file, or of an embedded image, whose URL is its path; empty if it can't be decoded."""
    if not is_written_picture(path):
        return files.read(path)
    head, _, text = path.partition(",")
    if not _BASE64.match(head):
        return unquote(text).encode()
    try:
        return b64decode(unquote(text))
    except (Error, ValueError):
        return b""


def name_of_path(path: str) -> str:
    """The name of a file; for an embedded image, a name with the extension of its type."""
    written = _WRITTEN.match(path)
    return f"picture.{written[1].lower()}" if written else path.rpartition("/")[2]


def named_path(path: str) -> str:
    """A path in the form used in reports."""
    return "embedded in the text" if is_written_picture(path) else path
