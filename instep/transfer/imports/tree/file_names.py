"""Interprets names of files and folders: their ordering numbers, and titles derived from them."""

import posixpath
import re
from collections.abc import Container, Iterable

# A date or a version is part of the name, as in "2024-11-news" and "7.0-release".
_DATE_OR_VERSION = re.compile(r"\d{1,8}[-_.]\d")
_PREFIX = re.compile(r"(\d{1,8})[ \t]*[-_.)]+[ \t]*(?=\S)|(\d{1,8})[ \t]+(?=\S)")
_NUMBER_ALONE = re.compile(r"\d+\.\w+$")
_PAGE = re.compile(r"\.(?:md|mdx|markdown)$", re.IGNORECASE)


def is_page(path: str) -> bool:
    """True for the path of a Markdown file."""
    return _PAGE.search(path) is not None


def without_extension(path: str) -> str:
    """A path without a Markdown extension."""
    return _PAGE.sub("", path)


def with_ending(stem: str, endings: Iterable[str], paths: Container[str]) -> str | None:
    """The first existing path with this stem and one of these endings; None if there is none."""
    return next((stem + ending for ending in endings if stem + ending in paths), None)


def children_of(folder: str, paths: Iterable[str]) -> dict[str, list[str]]:
    """The paths below a folder, by the name of the file or folder directly in it."""
    children: dict[str, list[str]] = {}
    for path in paths:
        if path.startswith(f"{folder}/"):
            children.setdefault(path[len(folder) + 1 :].split("/")[0], []).append(path)
    return children


def split_number(name: str) -> tuple[int | None, str]:
    """The ordering number at the start of a name, and the rest: "01-intro" is 1 and "intro"."""
    is_name = _DATE_OR_VERSION.match(name) or _NUMBER_ALONE.match(name)
    match = None if is_name else _PREFIX.match(name)
    return (int(match[1] or match[2]), name[match.end() :]) if match else (None, name)


def without_numbers(path: str) -> str:
    """A path without the ordering numbers of its segments."""
    return "/".join(split_number(segment)[1] for segment in path.split("/"))


def name_order(name: str) -> tuple[float, str]:
    """The sort key of a name: by number, then alphabetically."""
    number, rest = split_number(name)
    return (float("inf") if number is None else number, rest.casefold())


def title_of_name(path: str) -> str:
    """A title for a file or folder: "guides/02-getting_started.md" is "Getting started"."""
    name = split_number(posixpath.basename(without_extension(path.rstrip("/"))))[1]
    words = " ".join(re.split(r"[-_\s]+", name)).strip() or name
    return words[:1].upper() + words[1:]
