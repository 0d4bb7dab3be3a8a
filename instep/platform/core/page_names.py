"""Names of Markdown files, and paths in comparable form."""

import re
from unicodedata import normalize

_PAGE = re.compile(r"\.(?:md|markdown)$", re.IGNORECASE)
# A Git LFS pointer, the content of a file before it is fetched (Git LFS specification, “The Pointer”).
_POINTER_START = b"version https://git-lfs.github.com/spec/"
_MAX_POINTER_BYTES = 1024


def is_page_name(path: str) -> bool:
    """True if a path is a Markdown file's."""
    return _PAGE.search(path) is not None


def page_stem(path: str) -> str:
    """A path without the extension of a Markdown file."""
    return _PAGE.sub("", path)


def comparable_path(path: str) -> str:
    """A path in the Unicode form (NFC) in which equal names are equal."""
    return normalize("NFC", path)


def is_pointer(content: bytes) -> bool:
    """True if a file is only a Git LFS pointer."""
    return len(content) <= _MAX_POINTER_BYTES and content.startswith(_POINTER_START)
