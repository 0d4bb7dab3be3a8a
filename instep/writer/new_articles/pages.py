"""Pages of the documentation that a change links to and that no article is, in a menu or by address."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from instep.writer.articles.corpus import Corpus
from instep.writer.diffs.change_set import ChangeSet
from instep.writer.diffs.files import LONG_LINE
from instep.writer.diffs.patch import Line
from instep.writer.facts.changed_texts import SourceLine
from instep.writer.words.identifiers import key_of

_URL = re.compile(r"https?://([\w.-]+)((?:/[\w~-]+)+)/?(?![\w./-])")
_SLUG = re.compile(r"[\"'/]([A-Za-z][\w-]{2,})/?(?=[\"'#])")
_TITLE = re.compile(r"\b(?:title|label|text|name)\s*[=:]\s*[\"']([^\"'<>{}\n]{3,80})[\"']", re.IGNORECASE)
_STEM = re.compile(r"([^/]+?)(?:\.\w+)?$")
_WORD = re.compile(r"[\w-]+")
_CODE_HOST = re.compile(r"github|gitlab|bitbucket|codeberg")
_FEWEST, _SHORTEST = 2, 7


@dataclass(frozen=True, slots=True)
class AnnouncedPage:
    """A page that is announced, by its address, and by its title if the change says it."""

    slug: str
    title: str
    source: SourceLine


def announced_pages(change_set: ChangeSet, corpus: Corpus) -> list[AnnouncedPage]:
    """Slugs that are new in the change and stand where slugs of articles stand."""
    known = _known(corpus)
    files = [file for file in change_set.files if file.kind != "test"]
    lines = [
        (file.patch.path, file.weight, line)
        for file in files
        for line in file.patch.lines()
        if len(line.text) <= LONG_LINE
    ]
    old = {word for _, _, line in lines if line.mark != "+" for word in _WORD.findall(line.text)}
    hosts = _hosts(corpus, [line.text for _, _, line in lines if line.mark != "+"], known)
    frames = _frames([line for _, _, line in lines], known)
    found: dict[str, AnnouncedPage] = {}
    for path, weight, line in lines:
        if line.mark == "+":
            for slug in (*_in_frames(line.text, frames), *_in_addresses(line.text, hosts)):
                if key_of(slug) not in known and slug not in old and not slug.isdigit():
                    source = SourceLine(path, line.new, line.text, weight)
                    found.setdefault(slug, AnnouncedPage(slug, _title_in(line.text), source))
    return list(found.values())


def _known(corpus: Corpus) -> set[str]:
    """Keys of the articles, as addresses and titles spell them."""
    stems = (_STEM.search(article.id) for article in corpus.articles)
    return {key_of(found[1]) for found in stems if found} | {key_of(a.title) for a in corpus.articles}


def _hosts(corpus: Corpus, texts: Sequence[str], known: set[str]) -> set[str]:
    """Where articles are read: hosts whose addresses end in the names of several articles."""
    counts: Counter[str] = Counter()
    for text in (*(article.text for article in corpus.articles), *texts):
        for host, path in set(_URL.findall(text)):
            slug = path.rsplit("/", 1)[-1]
            counts[host] += len(slug) > 3 and key_of(slug) in known
    return {host for host, count in counts.items() if count >= _FEWEST and not _CODE_HOST.search(host)}


def _frames(lines: Sequence[Line], known: set[str]) -> set[str]:
    """What stands before a slug in lines that name several articles."""
    slugs: dict[str, set[str]] = defaultdict(set)
    for line in lines:
        for found in _SLUG.finditer(line.text):
            if key_of(found[1]) in known:
                slugs[line.text[: found.start(1)].strip()].add(found[1])
    return {frame for frame, names in slugs.items() if len(names) >= _FEWEST and len(frame) >= _SHORTEST}


def _in_frames(text: str, frames: set[str]) -> Iterator[str]:
    for found in _SLUG.finditer(text):
        if text[: found.start(1)].strip() in frames:
            yield found[1]


def _in_addresses(text: str, hosts: set[str]) -> Iterator[str]:
    for host, path in _URL.findall(text):
        if host in hosts:
            yield path.rsplit("/", 1)[-1]


def _title_in(text: str) -> str:
    found = _TITLE.search(text)
    return found[1].strip() if found else ""
