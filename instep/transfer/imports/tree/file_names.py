"""Names of files and folders: numbers that only order them, and titles for those that say none."""

import posixpath
import re
from collections.abc import Container, Iterable

# A date or a version is part of a name: "2024-11-news" and "7.0-release" keep theirs.
_DATE_OR_VERSION = re.compile(r"\d{1,8}[-_.]\d")
_PREFIX = re.compile(r"(\d{1,8})[ \t]*[-_.)]+[ \t]*(?=\S)|(\d{1,8})[ \t]+(?=\S)")
_NUMBER_ALONE = re.compile(r"\d+\.\w+$")
_PAGE = re.compile(r"\.(?:md|mdx|markdown)$", re.IGNORECASE)


def is_page(path: str) -> bool:
    """True if a path is that of a Markdown file."""
    return _PAGE.search(path) is not None


def without_extension(path: str) -> str:
    """A path without the extension of Markdown files."""
    return _PAGE.sub("", path)


def with_ending(stem: str, endings: Iterable[str], paths: Container[str]) -> str | None:
    """The first of the paths that a stem has with one of these endings; None if none is there."""
    return next((stem + ending for ending in endings if stem + ending in paths), None)


def children_of(folder: str, paths: Iterable[str]) -> dict[str, list[str]]:
    """The paths below a folder by the names of the files and folders that are directly in it."""
    children: dict[str, list[str]] = {}
    for path in paths:
        if path.startswith(f"{folder}/"):
            children.setdefault(path[len(folder) + 1 :].split("/")[0], []).append(path)
    return children


def split_number(name: str) -> tuple[int | None, str]:
    """The number that begins a name to order it, and the rest: "01-intro" is 1 and "intro"."""
    is_name = _DATE_OR_VERSION.match(name) or _NUMBER_ALONE.match(name)
    match = None if is_name else _PREFIX.match(name)
    return (int(match[1] or match[2]), name[match.end() :]) if match else (None, name)


def without_numbers(path: str) -> str:
    """A path whose segments have no numbers that order them."""
    return "/".join(split_number(segment)[1] for segment in path.split("/"))


def name_order(name: str) -> tuple[float, str]:
    """The key by which names are sorted: by their numbers, then by the alphabet."""
    number, rest = split_number(name)
    return (float("inf") if number is None else number, rest.casefold())


def title_of_name(path: str) -> str:
    """A title for a file or folder: "guides/02-getting_started.md" is "Getting started"."""
    name = split_number(posixpath.basename(without_extension(path.rstrip("/"))))[1]
    words = " ".join(re.split(r"[-_\s]+", name)).strip() or name
    return words[:1].upper() + words[1:]
