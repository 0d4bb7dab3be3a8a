"""Pages of the documentation that a change links to, in a menu or by URL, and that do not exist yet."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from instep.text.file_kinds import LONG_LINE
from instep.text.patch import Line
from instep.writer.articles.corpus import Corpus
from instep.writer.diffs.change_set import ChangeSet
from instep.writer.facts.changed_texts import SourceLine
from instep.writer.words.identifiers import key_of

_URL = re.compile(r"https?://([\w.-]+)((?:/[\w~-]+)+)/?(?![\w./-])")
_SLUG = re.compile(r"[\"'/]([A-Za-z][\w-]{2,})/?(?=[\"'#])")
_TITLE = re.compile(r"\b(?:title|label|text|name)\s*[=:]\s*[\"']([^\"'<>{}\n]{3,80})[\"']", re.IGNORECASE)
_STEM = re.compile(r"([^/]+?)(?:\.\w+)?$")
_WORD = re.compile(r"[\w-]+")
_CODE_HOST = re.compile(r"github|gitlab|bitbucket|codeberg")
_MIN_ARTICLES, _MIN_PREFIX_CHARACTERS = 2, 7


@dataclass(frozen=True, slots=True)
class AnnouncedPage:
    """A page that a change links to: the end of its URL, and its title or an empty string."""

    slug: str
    title: str
    source: SourceLine


def announced_pages(change_set: ChangeSet, corpus: Corpus) -> list[AnnouncedPage]:
    """Pages whose slugs are new in the change, in places where slugs of articles occur."""
    article_keys = _article_keys(corpus)
    files = [file for file in change_set.files if file.kind != "test"]
    lines = [
        (file.patch.path, file.weight, line)
        for file in files
        for line in file.patch.lines()
        if len(line.text) <= LONG_LINE
    ]
    old_words = {word for _, _, line in lines if line.mark != "+" for word in _WORD.findall(line.text)}
    hosts = _hosts(corpus, [line.text for _, _, line in lines if line.mark != "+"], article_keys)
    prefixes = _prefixes([line for _, _, line in lines], article_keys)
    pages: dict[str, AnnouncedPage] = {}
    for path, weight, line in lines:
        if line.mark == "+":
            for slug in (*_slugs_after(line.text, prefixes), *_slugs_in_urls(line.text, hosts)):
                if key_of(slug) not in article_keys and slug not in old_words and not slug.isdigit():
                    source = SourceLine(path, line.new, line.text, weight)
                    pages.setdefault(slug, AnnouncedPage(slug, _title_in(line.text), source))
    return list(pages.values())


def possible_pages(text: str) -> list[str]:
    """The slugs and titles of pages that a line may name, of articles and of pages that do not exist yet."""
    slugs = [*_SLUG.findall(text), *(path.rsplit("/", 1)[-1] for _, path in _URL.findall(text))]
    return [name for name in (*slugs, _title_in(text)) if name]


def _article_keys(corpus: Corpus) -> set[str]:
    """Keys of the articles, as URLs and titles spell them."""
    stems = (_STEM.search(article.id) for article in corpus.articles)
    return {key_of(match[1]) for match in stems if match} | {key_of(a.title) for a in corpus.articles}


def _hosts(corpus: Corpus, texts: Sequence[str], article_keys: set[str]) -> set[str]:
    """Hosts of the help center: their URLs end in the names of several articles."""
    counts: Counter[str] = Counter()
    for text in (*(article.text for article in corpus.articles), *texts):
        for host, path in set(_URL.findall(text)):
            slug = path.rsplit("/", 1)[-1]
            counts[host] += len(slug) > 3 and key_of(slug) in article_keys
    return {host for host, count in counts.items() if count >= _MIN_ARTICLES and not _CODE_HOST.search(host)}


def _prefixes(lines: Sequence[Line], article_keys: set[str]) -> set[str]:
    """The text before a slug in lines that name several articles."""
    slugs: dict[str, set[str]] = defaultdict(set)
    for line in lines:
        for match in _SLUG.finditer(line.text):
            if key_of(match[1]) in article_keys:
                slugs[line.text[: match.start(1)].strip()].add(match[1])
    return {
        prefix
        for prefix, names in slugs.items()
        if len(names) >= _MIN_ARTICLES and len(prefix) >= _MIN_PREFIX_CHARACTERS
    }


def _slugs_after(text: str, prefixes: set[str]) -> Iterator[str]:
    for match in _SLUG.finditer(text):
        if text[: match.start(1)].strip() in prefixes:
            yield match[1]


def _slugs_in_urls(text: str, hosts: set[str]) -> Iterator[str]:
    for host, path in _URL.findall(text):
        if host in hosts:
            yield path.rsplit("/", 1)[-1]


def _title_in(text: str) -> str:
    match = _TITLE.search(text)
    return match[1].strip() if match else ""
