"""Names of Markdown files, and of files as they are compared."""

import re
from unicodedata import normalize

_PAGE = re.compile(r"\.(?:md|markdown)$", re.IGNORECASE)
# What a file of Git LFS is until it is fetched (Git LFS specification, “The Pointer”).
_POINTER_START = b"version https://git-lfs.github.com/spec/"
_MAX_POINTER_BYTES = 1024


def is_page_name(path: str) -> bool:
    """True if a path is that of a Markdown file."""
    return _PAGE.search(path) is not None


def page_stem(path: str) -> str:
    """A path without the extension of a Markdown file."""
    return _PAGE.sub("", path)


def comparable_path(path: str) -> str:
    """A path in the form of Unicode in which two ways to write one name are the same (NFC)."""
    return normalize("NFC", path)


def is_pointer(content: bytes) -> bool:
    """True if a file is only the pointer of Git LFS to what it should be."""
    return len(content) <= _MAX_POINTER_BYTES and content.startswith(_POINTER_START)
