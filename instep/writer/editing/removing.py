"""Entries of articles about nothing but what a change takes out: a row, an item, a term, a section."""

import re
from collections.abc import Iterator, Sequence

from instep.writer.articles.corpus import Corpus
from instep.writer.articles.entries import Entry, EntryList, Form, entry_lists_of
from instep.writer.articles.headings import sections_of
from instep.writer.editing.apply import add_edit, is_record
from instep.writer.editing.edits import Edit
from instep.writer.facts.removals import Removal
from instep.writer.words.identifiers import is_distinct

_SPAN = re.compile(r"(?<!`)`++([^`]++)`++")
_NAME = re.compile(r"--?[a-zA-Z][\w-]+|/?[A-Za-z_][\w./-]*\w")
_SHORT = re.compile(r"-\w")
# What may stand between the name that an item opens with and what the item says of it.
_ITEM_HEAD = re.compile(
    r"(?:[`*_\"\]]|\s*\([^()]{0,300}\)|=[^\s=]{1,300})*(?:\s*(?::|-{1,2}|[\u2013\u2014])(?:\s|$)|\s*$)"
)
_SIGNATURE = re.compile(r"\([^()]{0,300}\)|=\S*")
_BLANK = re.compile(r"(?:[ \t]*\n)*")
_MOST_ARTICLES = 3
_MOST_LINES = 60
_LONGEST_HEAD = 500

Found = dict[str, list[Edit]]


def add_removals(found: Found, removals: Sequence[Removal], corpus: Corpus) -> None:
    """Takes out what is certain. What other edits touch is no mere removal, and stays."""
    for removal in removals:
        if removal.doubt is None:
            blocks = [
                (article, place)
                for article in corpus.with_words(removal.old)
                if not is_record(article)
                for place in _blocks(removal, article.text)
            ]
            # What many articles list is the name of many things.
            if len({article.id for article, _ in blocks}) <= _MOST_ARTICLES:
                for article, place in blocks:
                    _add(found, article.id, place)


def _add(found: Found, article_id: str, place: Edit) -> None:
    places = found.get(article_id, [])
    before = len(places)
    add_edit(places, place)
    if len(places) > before:
        found[article_id] = places


def _blocks(removal: Removal, text: str) -> Iterator[Edit]:
    """The entries under the name, the largest first, so that a section goes with what it lists."""
    places = [
        Edit(entry.start, _end(group.form, entry, text), "", removal)
        for group in entry_lists_of(text)
        for entry in group.entries
        if entry.label == removal.old and _is_alone(entry, group, text)
    ]
    yield from sorted(places, key=lambda place: place.start - place.end)


def _is_alone(entry: Entry, group: EntryList, text: str) -> bool:
    """Whether the entry names nothing else in its head, and others stay beside it."""
    block = text[entry.start : entry.end]
    if block.count("\n") > _MOST_LINES or all(other.label == entry.label for other in group.entries):
        return False
    head = _head(group.form, entry, text)
    return head is not None and len(head) <= _LONGEST_HEAD and not _names_other(head, entry.label)


def _head(form: Form, entry: Entry, text: str) -> str | None:
    """What the entry says it is about; None where its text runs on, or where it has parts of its own."""
    lines = text[entry.start : entry.end].splitlines()
    if form == "section":
        inside = [one for one in sections_of(text) if entry.start <= one.start < entry.end]
        return inside[0].title if len(inside) == 1 else None
    if form == "row":
        return lines[0].strip().strip("|").split("|")[0]
    if form == "term":
        return lines[0]
    after = lines[0].find(entry.label) + len(entry.label)
    return lines[0][:after] if _ITEM_HEAD.match(lines[0], after) else None


def _names_other(head: str, label: str) -> bool:
    rest = _SIGNATURE.sub("", head.replace(label, " "))
    coded = (name for span in _SPAN.findall(rest) for name in _NAME.findall(span))
    plain = (name for name in _NAME.findall(rest) if is_distinct(name))
    return any(not _SHORT.fullmatch(name) for name in (*coded, *plain))


def _end(form: Form, entry: Entry, text: str) -> int:
    """Blank lines that parted the entry from the next one go with it."""
    if form == "row" or not text[: entry.start].endswith("\n\n"):
        return entry.end
    blank = _BLANK.match(text, entry.end)
    return blank.end() if blank else entry.end
