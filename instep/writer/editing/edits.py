"""Where an article states what a change made untrue, and so what to put there."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from instep.writer.articles.corpus import Corpus
from instep.writer.articles.headings import front_matter, headings_of
from instep.writer.articles.passages import heading_over, is_in_code, is_in_url, sentence_around
from instep.writer.editing.examples import ExampleEdit
from instep.writer.editing.value_binding import StatedValue, is_mentioned, states_value_of
from instep.writer.facts.collect import Fact
from instep.writer.facts.removals import Removal
from instep.writer.facts.renames import Rename
from instep.writer.facts.rewordings import Rewording, wrapped_like
from instep.writer.facts.signatures import Signature
from instep.writer.facts.values import Value
from instep.writer.inserting.insertions import Insertion
from instep.writer.inserting.notes import Note
from instep.writer.shapes import Article
from instep.writer.words.identifiers import emphasised, mention

# A route begins where no path goes before it, or right behind a host.
_ROOT = re.compile(r"(?:^|[^\w./}>-]|://[\w.:-]+|\$\{?\w+\}?|[\w>]\}|<[\w-]+>)\Z")
_UNDERLINE = re.compile(r"([=\-~#*^\"'`+])\1{2,}")
_HOST = 80
_TELLING = 6.0


EditReason = Fact | Insertion | Note | ExampleEdit | Removal


@dataclass(frozen=True, slots=True)
class Edit:
    """What to put in the place of a span of an article, and on what ground."""

    start: int
    end: int
    new: str
    fact: EditReason


def edits_for(fact: Fact, article: Article, corpus: Corpus) -> Iterator[Edit]:
    if isinstance(fact, Signature):
        yield from _rewritten(fact, article.text)
        return
    if isinstance(fact, Rename):
        spans = _renamed(fact, article.text)
    elif isinstance(fact, Value):
        spans = _revalued(fact, article.text)
    else:
        spans = _reworded(fact, article.text, corpus)
    first = len(front_matter(article.text))
    for start, end in spans:
        if start >= first and not _says_both(fact, article.text, start, end):
            yield Edit(start, end, wrapped_like(article.text[start:end], fact.new), fact)


def _rewritten(fact: Signature, text: str) -> Iterator[Edit]:
    """In headings only: an example may do without the new parameter. An underline grows with its heading."""
    for head in headings_of(text):
        if fact.old not in head.title:
            continue
        start = text.index(fact.old, head.start)
        yield Edit(start, start + len(fact.old), fact.new, fact)
        below = _UNDERLINE.match(text, text.find("\n", start) + 1)
        if below and not head.mark.startswith("#"):
            length = len(head.title) - len(fact.old) + len(fact.new)
            yield Edit(below.start(), below.end(), below[1] * length, fact)


def _says_both(fact: Fact, text: str, start: int, end: int) -> bool:
    """A sentence that names the new beside the old tells of the change itself, or of two things."""
    first, last = sentence_around(text, start, end)
    rest = text[first:start] + " " + text[end:last]
    return bool(mention(fact.new).search(mention(fact.old).sub(" ", rest)))


def _renamed(fact: Rename, text: str) -> Iterator[tuple[int, int]]:
    pattern = emphasised(fact.old) if fact.form == "emphasised" else mention(fact.old)
    in_paths = "/" in fact.old or any(_is_path_part(fact.new, source.text) for source in fact.sources)
    for found in pattern.finditer(text):
        if fact.form == "coded" and not is_in_code(text, found.start()):
            continue
        if fact.old.startswith("/") and not _ROOT.search(text, max(0, found.start() - _HOST), found.start()):
            continue
        # A link goes on working under the old address unless the change moves addresses.
        if in_paths or not is_in_url(text, found.start()):
            yield found.span()


def _is_path_part(name: str, line: str) -> bool:
    return f"/{name}" in line or f"{name}/" in line


def _reworded(fact: Rewording, text: str, corpus: Corpus) -> Iterator[tuple[int, int]]:
    if corpus.weight(fact.old) >= _TELLING:
        yield from (found.span() for found in mention(fact.old).finditer(text))


def _revalued(fact: Value, text: str) -> Iterator[tuple[int, int]]:
    if not is_mentioned(fact, text):
        return
    for found in mention(fact.old).finditer(text):
        start, end = found.span()
        first, last = sentence_around(text, start, end)
        if len(mention(fact.old).findall(text[first:last])) > 1:
            continue
        said = StatedValue(text[first:start], text[start:end], text[end:last], heading_over(text, start))
        if any(states_value_of(fact, name, said) for name in fact.names):
            yield start, end
