"""An article as the ranking reads it: the words of its text, passages and headings, its names and links."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from instep.writer.articles.entries import entry_lists_of
from instep.writer.articles.headings import sections_of
from instep.writer.articles.passages import headings
from instep.writer.words.identifiers import is_distinct, key_of
from instep.writer.words.terms import sequence_of, terms_of

_NAME = re.compile(r"--?[a-zA-Z][\w-]+|[A-Za-z_]\w*(?:-\w+)*")
_LINK = re.compile(
    r"\]\(([^)\s]{1,300})|:(?:doc|ref):`(?:[^`<\n]{0,300}<)?([^`>\n]{1,300})>?`|href=[\"']([^\"'\n]{1,300})"
    r"|^[ ]{2,9}([\w/.-]{1,300})[ ]*$",
    re.MULTILINE,
)
_STEM = re.compile(r"([^/#]+?)(?:\.\w+)?/?(?:#.*)?$")


@dataclass(frozen=True, slots=True)
class ArticleFeatures:
    """`passages` tells by term how often which passage holds it; `order` is all terms as they follow."""

    text: Mapping[str, int]
    heading: Mapping[str, int]
    passages: Mapping[str, tuple[tuple[int, int], ...]]
    sizes: tuple[int, ...]
    names: frozenset[str]
    order: str
    length: int


@lru_cache(maxsize=1_024)
def article_features(title: str, text: str) -> ArticleFeatures:
    heads = terms_of(" ".join(heading for _, heading in headings(text)))
    titled = terms_of(title)
    told = [sequence_of(passage) for passage in _passages(text)]
    words: Counter[str] = Counter()
    found: dict[str, list[tuple[int, int]]] = {}
    for at, terms in enumerate(told):
        counts = Counter(terms)
        words.update(counts)
        for term, count in counts.items():
            found.setdefault(term, []).append((at, count))
    words.update(titled)
    return ArticleFeatures(
        words,
        heads + titled + titled,
        {term: tuple(places) for term, places in found.items()},
        tuple(len(terms) for terms in told),
        frozenset(names_in(text)),
        f" {' '.join(term for terms in told for term in terms)} ",
        words.total(),
    )


def _passages(text: str) -> list[str]:
    sections = sections_of(text)
    parts = [text[: sections[0].start], *(section.text for section in sections)] if sections else [text]
    return [part for part in parts if part.strip()]


def names_in(text: str) -> Iterator[str]:
    """The names that no ordinary word is spelled like."""
    return (name for name in _NAME.findall(text) if is_distinct(name))


@lru_cache(maxsize=512)
def listed_in(text: str) -> tuple[frozenset[str], ...]:
    """The keys of what an article lists, group by group."""
    return tuple(frozenset(key_of(entry.label) for entry in group.entries) for group in entry_lists_of(text))


@lru_cache(maxsize=512)
def linked_from(text: str) -> frozenset[str]:
    """The keys of the pages that an article links to, by the last part of their addresses."""
    stems = (_STEM.search(next(filter(None, found.groups()))) for found in _LINK.finditer(text))
    return frozenset(key_of(stem[1]) for stem in stems if stem)


def keys_of_page(article_id: str, title: str) -> frozenset[str]:
    """What an address of an article ends in."""
    stem = _STEM.search(article_id)
    return frozenset([key_of(title), *([key_of(stem[1])] if stem else [])])
