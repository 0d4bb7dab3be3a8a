"""The names and values that articles state, which a checkout is searched for."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from instep.drafting.writer.articles.parsed_article import front_matter
from instep.drafting.writer.drift.stated_addresses import addresses_in, repository_links
from instep.drafting.writer.llm.code_comparison import reading_parts
from instep.drafting.writer.shapes import Article
from instep.platform.core import limits
from instep.platform.core.name_matching import is_distinct

_CODE_SPAN = re.compile(r"(?<!`)(`++)([^`\n]{1,200})\1")
_LABEL = re.compile(r"\*\*([^*\n]{3,60})\*\*")
_MENU_STEP = re.compile(r"(?<!\s)\s++(?:>|\u203a|\u00bb|\u2192|->)\s+")
# A token of prose or of code that may be a name of its own.
_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s<>\"'`)\]]+")
_TOKEN = re.compile(r"--?[A-Za-z][\w-]+|/[\w{}<>:.-]+(?:/[\w{}<>:.-]+)+|[A-Za-z_][\w./-]*\w")
_VALUE = re.compile(r"(?<![\w.])\d(?:[\d.,_]*\d)?[a-z]{0,2}(?!\w)")
_EDGES = ".,:;()[]{}<>\"'`!?*="
_MIN_NAME_CHARACTERS, _MAX_NAME_CHARACTERS = 3, 80


@dataclass(frozen=True, slots=True)
class StatedNames:
    """The names and values of all articles, each once, and the total number of their statements in articles.

    `paths` of linked files begin with their repository, such as `github.com/acme/shop/app/cli.py`; paths in
    code marks have none.
    """

    names: tuple[str, ...]
    values: tuple[str, ...]
    paths: tuple[str, ...]
    statements: int


def stated_names(articles: Sequence[Article], limit: int) -> StatedNames:
    """The names that articles state, the first `limit` of them."""
    names, values, paths, statements = dict[str, None](), dict[str, None](), dict[str, None](), 0
    for article in articles:
        if not article.is_record:
            own_names = set(names_in(article.text))
            own_values = set(values_in(article.text))
            own_paths = {f"{link.home}/{link.path}".lstrip("/") for link in repository_links(article.text)}
            statements += len(own_names) + len(own_values) + len(own_paths)
            names.update(dict.fromkeys(sorted(own_names)))
            values.update(dict.fromkeys(sorted(own_values)))
            paths.update(dict.fromkeys(sorted(own_paths)))
    return StatedNames(tuple(names)[:limit], tuple(values)[:limit], tuple(paths)[:limit], statements)


def names_by_part(articles: Sequence[Article]) -> dict[tuple[str, int], tuple[str, ...]]:
    """The names that articles state in each separately read part, by the id and the part's first line.

    Parts without any, and records, are left out.
    """
    names = dict[tuple[str, int], tuple[str, ...]]()
    for article in articles:
        lines = article.text.split("\n")
        for first, last in () if article.is_record else reading_parts(article.text):
            part = sorted(set(names_in("\n".join(lines[first - 1 : last]))))
            if part:
                names[article.id, first] = tuple(part[: limits.MAX_NAMES_OF_READING])
    return names


def names_in(text: str) -> Iterator[str]:
    """The names of one article: code, labels in bold, and words that are spelled as only names are."""
    body = text[len(front_matter(text)) :]
    for match in _CODE_SPAN.finditer(body):
        yield from _names_of_span(match[2].strip())
    for match in _LABEL.finditer(body):
        yield from filter(_is_long_enough, (step.strip(_EDGES) for step in _MENU_STEP.split(match[1])))
    for match in _ADDRESS.finditer(body):
        yield from (name for name in addresses_in(match[0]) if len(name) <= limits.MAX_DRIFT_NAME_CHARACTERS)
    for token in _TOKEN.findall(_ADDRESS.sub(" ", body)):
        name = token.strip(_EDGES)
        if is_distinct(name) and _is_long_enough(name):
            yield name


def values_in(text: str) -> Iterator[str]:
    """The numbers of one article, as code writes them: 10000 for 10,000."""
    for match in _VALUE.finditer(text):
        yield match[0].replace(",", "")


def _names_of_span(span: str) -> Iterator[str]:
    words = span.split()
    for name in {span.strip(_EDGES), *(word.strip(_EDGES) for word in words)}:
        if _is_long_enough(name):
            yield name


def _is_long_enough(name: str) -> bool:
    return _MIN_NAME_CHARACTERS <= len(name) <= _MAX_NAME_CHARACTERS
