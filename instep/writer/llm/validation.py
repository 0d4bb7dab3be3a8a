"""Whether an edit by a model is valid: its form, its position, its markup, and its content."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from instep.core import limits
from instep.llm.guard import LinkPolicy, hosts_in
from instep.text.patch_parser import parse_diff
from instep.writer.articles.headings import headings_of
from instep.writer.articles.parsed_article import front_matter
from instep.writer.diffs.change_set import ReviewedFile, reviewed_files
from instep.writer.llm.certain_edits import CertainEdit, reverts
from instep.writer.llm.duplicates import DuplicateDetector
from instep.writer.llm.grounding import (
    Grounding,
    Vocabulary,
    content_terms,
    sentences_of_markdown,
    sentences_of_prose,
)
from instep.writer.llm.located_edit import LocatedEdit, apply_edits
from instep.writer.llm.markup import violation
from instep.writer.llm.replies import ReplyEdit
from instep.writer.llm.writing_places import WritingPlace
from instep.writer.shapes import Article, Change, Evidence

_MAX_EDIT_CHARACTERS, _MAX_GROWTH_FACTOR = 6_000, 4
_MAX_GROWTH_CHARACTERS = 2_000
_MAX_REMOVED_SHARE, _MAX_REMOVED_CHARACTERS = 0.3, 600
_EVIDENCE_CHARACTERS = 300
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]")
# The mark of a text that is still to be written.
GAP = "[…]"


@dataclass(frozen=True, slots=True)
class ProposedEdit:
    """An edit of a reply; `place` is set for the text of one, `fault` is what is wrong with its form."""

    located: LocatedEdit
    place: WritingPlace | None
    fault: str | None


class EditValidator:
    """Checks edits against the change and the articles."""

    def __init__(
        self, change: Change, articles: Sequence[Article], candidates: Mapping[str, Article], help_url: str
    ) -> None:
        self.change_set = reviewed_files(parse_diff(change.diff))
        self.grounding = Grounding(change, self.change_set, articles)
        source_text = "\n".join((change.title, change.body or "", self.grounding.new_text))
        texts = [article.text for article in candidates.values()]
        self.link_policy = LinkPolicy(help_url, source_text, hosts_in(texts))
        self.duplicates = DuplicateDetector(texts)

    def valid_edits(
        self,
        article: Article,
        certain: Sequence[CertainEdit],
        edits: Sequence[ProposedEdit],
        faults: list[str],
    ) -> list[LocatedEdit]:
        """The valid edits in the order of the text; the faults of the others are appended to `faults`."""
        vocabulary, valid = self.grounding.vocabulary_of(article), list[LocatedEdit]()
        for edit in edits:
            fault = (
                edit.fault
                or _position_fault(edit, article.text, certain, valid)
                or violation(article.text, apply_edits([edit.located], article.text), self.link_policy)
                or self._content_fault(edit, article.text, vocabulary)
            )
            if fault:
                faults.append(fault)
            else:
                valid.append(edit.located)
        valid.sort(key=lambda located: located.start)
        fault = self._combined_fault(valid, article.text)
        if fault:
            faults += [fault] * len(valid)
            return []
        return valid

    def _content_fault(self, proposed: ProposedEdit, text: str, vocabulary: Vocabulary) -> str | None:
        edit = proposed.located
        old = text[edit.start : edit.end]
        if self.grounding.loses_content(old, edit.new):
            return "it removes what the change leaves true"
        # Whether a line is code depends on the fences of the whole article, which the edit may cut in two.
        after = apply_edits([edit], text)
        fact = vocabulary.unknown_fact(after)
        if fact is not None:
            return f"neither the change nor the article says `{fact[:60]}`"
        old_lines, new_lines = _whole_lines(edit, text)
        # A value says nothing without the name that stands in its line.
        subject = f"{old}\n{edit.new}"
        if not self.grounding.concerns(subject):
            return "it does not concern what the change touches"
        sentences = Counter(sentences_of_markdown(after)) - Counter(sentences_of_markdown(text))
        return self._wording_fault(old_lines, new_lines, list(sentences), vocabulary)

    def _wording_fault(self, old: str, new: str, added: Sequence[str], vocabulary: Vocabulary) -> str | None:
        if any(map(self.grounding.repeats_title, added)):
            return "it repeats the title of the change"
        if self.duplicates.is_repeated(old, new, added):
            return "it repeats what the articles say already"
        if not all(vocabulary.is_grounded(sentence) for sentence in added):
            return "it says what neither the change nor the article says"
        return None

    def _combined_fault(self, edits: Sequence[LocatedEdit], text: str) -> str | None:
        """What is wrong with the edits together, though each is valid alone."""
        if not edits:
            return None
        removed = sum(max(0, edit.end - edit.start - len(edit.new)) for edit in edits)
        if removed > max(_MAX_REMOVED_CHARACTERS, _MAX_REMOVED_SHARE * len(text)):
            return "together they remove too much of the article"
        return violation(text, apply_edits(edits, text), self.link_policy)

    def evidence(self, edit: LocatedEdit) -> Evidence | None:
        """The changed line that shares most terms with the new text, for a line that is not known yet."""
        terms = set(content_terms(edit.new))
        best, most_shared = None, 0
        for read_file, number, text in _changed_lines(self.change_set.files):
            shared = len(terms.intersection(content_terms(text)))
            if shared > most_shared:
                best = Evidence(read_file.patch.path, number, number, text[:_EVIDENCE_CHARACTERS], None)
                most_shared = shared
        return best


def proposed_edit(edit: ReplyEdit, text: str) -> ProposedEdit:
    """An edit that names the text which it replaces."""
    start = text.find(edit.search)
    located = LocatedEdit(start, start + len(edit.search), edit.replace)
    return ProposedEdit(located, None, _form_fault(edit, text))


def proposed_text(place: WritingPlace, text: str, article: str) -> ProposedEdit:
    """The text for a place, as a paragraph or list item at the end of its section."""
    text = text.strip()
    last_line = article[: place.at].rpartition("\n")[2]
    is_next_item = _ITEM.match(text) and _ITEM.match(last_line)
    new = ("\n" if is_next_item else "\n\n") + text
    return ProposedEdit(LocatedEdit(place.at, place.at, new), place, _paragraph_fault(text, article))


def _paragraph_fault(text: str, article: str) -> str | None:
    if not re.search(r"\w", text) or GAP in text:
        return "it leaves a gap"
    if headings_of(text):
        return "it brings in a heading"
    too_long = len(text) > _MAX_GROWTH_CHARACTERS or len(article) + len(text) > limits.MAX_CONTENT_CHARACTERS
    return "it is too long" if too_long else None


def _form_fault(edit: ReplyEdit, text: str) -> str | None:
    if not edit.search.strip() or text.count(edit.search) != 1:
        return "the text to replace does not stand in the article exactly once"
    if (
        sentences_of_prose(edit.search) == sentences_of_prose(edit.replace)
        and edit.search.split() == edit.replace.split()
    ):
        return "it changes nothing"
    if GAP in edit.replace and GAP not in edit.search:
        return "it leaves a gap"
    longest = min(_MAX_EDIT_CHARACTERS, _MAX_GROWTH_FACTOR * len(edit.search) + _MAX_GROWTH_CHARACTERS)
    if len(edit.search) > _MAX_EDIT_CHARACTERS or len(edit.replace) > longest:
        return "it is too long"
    if len(text) - len(edit.search) + len(edit.replace) > limits.MAX_CONTENT_CHARACTERS:
        return "the article would be too long"
    return None


def _position_fault(
    proposed: ProposedEdit, text: str, certain: Sequence[CertainEdit], others: Sequence[LocatedEdit]
) -> str | None:
    edit = proposed.located
    if edit.start < len(front_matter(text)):
        return "it changes the front matter"
    if any(_overlaps(edit, other) for other in others):
        return "it overlaps with another one"
    if reverts(certain, text, edit.start, edit.end, edit.new):
        return "it takes back what is certain"
    return None


def _overlaps(edit: LocatedEdit, other: LocatedEdit) -> bool:
    return (edit.start < other.end and other.start < edit.end) or edit.start == other.start


def _whole_lines(edit: LocatedEdit, text: str) -> tuple[str, str]:
    """The lines that an edit touches, before and after it."""
    start, end = text.rfind("\n", 0, edit.start) + 1, text.find("\n", edit.end)
    end = len(text) if end < 0 else end
    return text[start:end], text[start : edit.start] + edit.new + text[edit.end : end]


def _changed_lines(files: Sequence[ReviewedFile]) -> Iterator[tuple[ReviewedFile, int, str]]:
    for read_file in files:
        for line in read_file.patch.lines():
            if line.mark != " ":
                yield read_file, line.new if line.mark == "+" else line.old, line.text
