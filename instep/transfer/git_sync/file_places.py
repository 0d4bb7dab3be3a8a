"""The position in a file: a number in its front matter, or at the start of its name."""

import re
from collections import Counter
from collections.abc import Iterable

from instep.platform.text.diff import split_lines
from instep.transfer.exports.file_contents import ORDER_KEYS, ORDER_PREFIX
from instep.transfer.exports.page_file import PageFile, lines_of
from instep.transfer.git_sync.pages import FolderPage

DIGITS = re.compile(r"\d+")
NUMBER = re.compile(r"^\d{1,9}$")


def order_key(page: FolderPage) -> str | None:
    """The name of the front matter field that contains the position."""
    return next((key for key in ORDER_KEYS if NUMBER.match(page.matter.get(key, ""))), None)


def file_place(page: FolderPage) -> int | None:
    key = order_key(page)
    return int(page.matter[key]) if key is not None else number_of_name(page.path)


def number_of_name(path: str) -> int | None:
    """The number at the start of a file's name."""
    match = ORDER_PREFIX.match(path.rpartition("/")[2])
    return int(match[0].rstrip("-")) if match and NUMBER.match(match[0].rstrip("-")) else None


def renumbered(path: str, number: int) -> str:
    """The path with another number at the start of the name, with the same number of digits."""
    folder, slash, name = path.rpartition("/")
    digits, _, rest = name.partition("-")
    return f"{folder}{slash}{number:0{len(digits)}}-{rest}"


def with_number(file: PageFile, key: str, number: int) -> PageFile:
    """The file with another number in its front matter; an existing number changes only its digits."""
    lines = split_lines(file.head)
    first, last = lines_of(lines, key)
    if first == last:
        lines.insert(first, f"{key}: {number}" + ("\r\n" if lines[0].endswith("\r\n") else "\n"))
    else:
        name, _, value = lines[first].partition(":")
        lines[first] = f"{name}:{DIGITS.sub(str(number), value, count=1)}"
    return PageFile("".join(lines), file.body)


def common_key(pages: Iterable[FolderPage]) -> str:
    """The name of the field that most pages of a folder use, for the other pages to use too."""
    counts = Counter(key for page in pages if (key := order_key(page)) is not None)
    return counts.most_common(1)[0][0] if counts else ORDER_KEYS[0]
