"""Recognizes documentation files: their text is for readers and is never read as code."""

import re

_SUFFIX = re.compile(r"\.(?:md|mdx|mkd|markdown|rst|adoc|asciidoc)$", re.IGNORECASE)
_RECORD = re.compile(
    r"(?:^|/)(?:readme|changelog|changes|news|history|release[-_]?notes|contributing|upgrad(?:e|ing))"
    r"(?:\.(?:txt|in))?$",
    re.IGNORECASE,
)
_ABOUT_THE_PROJECT = re.compile(
    r"(?:^|/)(?:readme|change-?log|changes|news|history|release[-_]?notes?|contributing|code[-_]of[-_]conduct"
    r"|security|licen[cs]e|authors|maintainers|agents|claude|copilot-instructions)[^/]*$",
    re.IGNORECASE,
)


def is_documentation(path: str) -> bool:
    """True if a file is prose: Markdown, MDX, reStructuredText, AsciiDoc, or a record such as `CHANGELOG`."""
    return bool(_SUFFIX.search(path) or _RECORD.search(path))


def is_about_the_project(path: str) -> bool:
    """True if a document is for the project's developers, or a record, and so not a manual page."""
    return bool(_ABOUT_THE_PROJECT.search(path))
