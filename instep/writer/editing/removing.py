"""Removes entries of articles that are about nothing but a removed name: a row, item, term or section."""

import re
from collections.abc import Iterator, Sequence

from instep.core.name_matching import is_distinct
from instep.writer.articles.corpus import Corpus
from instep.writer.articles.entries import EntryList, ListEntry, ListKind, entry_lists_of
from instep.writer.articles.headings import sections_of
from instep.writer.articles.option_lines import option_line
from instep.writer.editing.apply import add_edit, is_record
from instep.writer.editing.edits import Edit, EditsByArticle
from instep.writer.editing.removed_uses import removed_uses
from instep.writer.facts.removals import Removal
from instep.writer.facts.set_members import MemberChange
from instep.writer.relevance.selection import DraftCandidate
from instep.writer.words.identifiers import key_of

_SPAN = re.compile(r"(?<!`)`++([^`]++)`++")
_NAME = re.compile(r"--?[a-zA-Z][\w-]+|/?[A-Za-z_][\w./-]*\w")
_NEGATION = re.compile(r"^--no-")
_SHORT = re.compile(r"-\w")
# What may separate the name at the start of an item from its description.
_ITEM_HEAD = re.compile(
    r"(?:[`*_\"\]]|\s*\([^()]{0,300}\)|=[^\s=]{1,300}|\s*[/,|]\s*[`*]{0,3}--?[a-zA-Z][\w-]*+)*"
    r"(?:\s*(?::|-{1,2}|[\u2013\u2014])(?:[\s*]|$)|\s*$)"
)
_SIGNATURE = re.compile(r"\([^()]{0,300}\)|=\S*")
_BLANK = re.compile(r"(?:[ \t]*\n)*")
_MAX_ARTICLES = 3
_MIN_SIBLINGS = 2
_MAX_LINES = 60
_MAX_HEAD_CHARACTERS = 500


def add_removals(edits: EditsByArticle, removals: Sequence[Removal], corpus: Corpus) -> None:
    """Adds the certain removals. An entry that another edit touches is not a mere removal, and stays."""
    certain_names = frozenset(removal.old for removal in removals if removal.doubt is None)
    for removal in removals:
        if removal.doubt is None:
            blocks = [
                (article, block)
                for article in corpus.articles_with(removal.old)
                if not is_record(article)
                for block in (
                    *_blocks(removal, certain_names, article.text),
                    *removed_uses(removal, article),
                )
            ]
            # A name that many articles list is the name of many things.
            is_of_others = removal.command_count is not None and len(blocks) > removal.command_count
            if len({article.id for article, _ in blocks}) <= _MAX_ARTICLES and not is_of_others:
                for article, removal_edit in blocks:
                    _add(edits, article.id, removal_edit)


def add_lost_members(
    edits: EditsByArticle, members: Sequence[MemberChange], candidates: Sequence[DraftCandidate]
) -> None:
    """Takes the members that a set loses out of the lists of sure candidates that have others of it."""
    for candidate in candidates:
        for change in members if candidate.is_concerned else ():
            for removal_edit in _entries_of_lost(change, candidate.article.text):
                _add(edits, candidate.article.id, removal_edit)


def _entries_of_lost(change: MemberChange, text: str) -> Iterator[Edit]:
    """The entries of lost members in lists that have two of those that stay."""
    for slot in range(min(map(len, (*change.removed, *change.before, *change.after)))):
        lost = {key_of(slots[slot]) for slots in change.removed}
        staying = {key_of(slots[slot]) for slots in (*change.before, *change.after)} - lost
        for group in entry_lists_of(text) if lost else ():
            labels = {key_of(entry.label) for entry in group.entries}
            for entry in group.entries if len(labels & staying) >= _MIN_SIBLINGS else ():
                removal = Removal(entry.label, (change.source,), None, is_in_sentence=True)
                if key_of(entry.label) in lost and _is_alone(entry, group, frozenset((entry.label,)), text):
                    yield Edit(entry.start, _end(group.kind, entry, text), "", removal)


def _add(edits: EditsByArticle, article_id: str, edit: Edit) -> None:
    article_edits = edits.get(article_id, [])
    before = len(article_edits)
    add_edit(article_edits, edit)
    if len(article_edits) > before:
        edits[article_id] = article_edits


def _blocks(removal: Removal, certain_names: frozenset[str], text: str) -> Iterator[Edit]:
    """The entries under the name, the largest first, so that a section goes with what it lists.

    An entry may name others that go too, as in `--color / --no-color`.
    """
    edits = [
        Edit(entry.start, _end(group.kind, entry, text), "", removal)
        for group in entry_lists_of(text)
        for entry in group.entries
        if entry.label == removal.old and _is_alone(entry, group, certain_names, text)
    ]
    yield from sorted(edits, key=lambda edit: edit.start - edit.end)


def _is_alone(entry: ListEntry, group: EntryList, certain_names: frozenset[str], text: str) -> bool:
    """Whether the entry names nothing that stays in its head, and other entries stay next to it."""
    body = text[entry.start : entry.end]
    if body.count("\n") > _MAX_LINES or all(other.label == entry.label for other in group.entries):
        return False
    head = _head(group.kind, entry, text)
    return head is not None and len(head) <= _MAX_HEAD_CHARACTERS and not _names_other(head, certain_names)


def _head(kind: ListKind, entry: ListEntry, text: str) -> str | None:
    """What the entry says it is about; None where its text runs on, or where it has subsections."""
    lines = text[entry.start : entry.end].splitlines()
    if kind == "section":
        sections = [section for section in sections_of(text) if entry.start <= section.start < entry.end]
        return sections[0].title if len(sections) == 1 else None
    if kind == "row":
        return lines[0].strip().strip("|").split("|")[0]
    if kind == "term":
        return lines[0]
    if kind == "option":
        option = option_line(lines[0])
        return option.lead + option.flag if option else None
    after = lines[0].find(entry.label) + len(entry.label)
    head = _ITEM_HEAD.match(lines[0], after)
    return lines[0][: head.end()] if head else None


def _names_other(head: str, certain_names: frozenset[str]) -> bool:
    """Whether a head has a name that may stay. Short and negated flags go with the flag itself."""
    rest = _SIGNATURE.sub("", head)
    coded = (name for span in _SPAN.findall(rest) for name in _NAME.findall(span))
    plain = (name for name in _NAME.findall(rest) if is_distinct(name))
    names = (_NEGATION.sub("--", name) for name in (*coded, *plain))
    return any(name not in certain_names and not _SHORT.fullmatch(name) for name in names)


def _end(kind: ListKind, entry: ListEntry, text: str) -> int:
    """The blank lines between the entry and the next one are removed with it."""
    if kind in {"row", "option"} or not text[: entry.start].endswith("\n\n"):
        return entry.end
    blank = _BLANK.match(text, entry.end)
    return blank.end() if blank else entry.end
