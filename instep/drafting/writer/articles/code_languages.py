"""The programming languages of examples, which tell a product's libraries apart."""

import posixpath
import re
from bisect import bisect_right
from functools import lru_cache

from instep.drafting.writer.articles.parsed_article import parse_article

# Each language with its file extensions and its names after a fence.
_SPELLINGS = {
    "c#": "cs csharp c#",
    "dart": "dart",
    "elixir": "ex exs elixir",
    "go": "go golang",
    "java": "java",
    "javascript": "js jsx mjs cjs ts tsx javascript typescript node",
    "kotlin": "kt kts kotlin",
    "php": "php",
    "python": "py pyi python python3",
    "ruby": "rb ruby",
    "rust": "rs rust",
    "swift": "swift",
}
_LANGUAGES = {name: language for language, names in _SPELLINGS.items() for name in names.split()}
# Libraries for these languages are written in one another.
_RELATED = {"kotlin": "java"}
_INFO = re.compile(r"\s*[`~]{3,}\s*\{?\.?([\w#+-]*)")


def language_of_file(path: str) -> str | None:
    return _language(posixpath.splitext(path)[1][1:])


def language_at(text: str, offset: int) -> str | None:
    """The language of the example at an offset, or the only language of all examples in the article."""
    name = fence_at(text, offset)
    if name is not None:
        return _language(name)
    languages = {_language(name) for _, _, name in _examples(text)} - {None}
    return languages.pop() if len(languages) == 1 else None


def fence_at(text: str, offset: int) -> str | None:
    """The word after the fence of the example at an offset; None outside of examples."""
    examples = _examples(text)
    index = bisect_right(examples, (offset, len(text), "")) - 1
    return examples[index][2] if index >= 0 and examples[index][1] > offset else None


def _language(name: str) -> str | None:
    language = _LANGUAGES.get(name.lower())
    return _RELATED.get(language, language) if language else None


@lru_cache(maxsize=64)
def _examples(text: str) -> tuple[tuple[int, int, str], ...]:
    """The span of each fenced example, and the word after its fence."""
    article = parse_article(text)
    examples = []
    for block in article.blocks:
        if block.kind == "code" and block.marker:
            first, last = article.lines[block.first_line - 1], article.lines[block.last_line - 1]
            info = _INFO.match(first.text)
            examples.append((first.start, last.end, info[1] if info else ""))
    return tuple(sorted(examples))
