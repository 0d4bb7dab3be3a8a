"""Checks the edits of a reply: each needs a position in a shown article, and must pass the hard checks."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from instep.drafting.writer.llm.article_contents import Contents, ShownArticle
from instep.drafting.writer.llm.edit_forms import EditRefused, ModelEdit, located_edits
from instep.drafting.writer.llm.located_edit import Fault, LocatedEdit
from instep.drafting.writer.llm.protection import Protection
from instep.platform.core import limits


@dataclass(slots=True)
class ArticleEdits:
    """The edits of one article: all of them, their spans in text order, and their faults."""

    index: int
    edits: list[ModelEdit] = field(default_factory=list)
    title: str = ""
    spans: list[LocatedEdit] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    @property
    def refused(self) -> list[Fault]:
        return [fault for fault in self.faults if fault.refuses]


def check_edits(
    edits: Sequence[ModelEdit], contents: Contents, excerpts: Sequence[ShownArticle], protection: Protection
) -> list[ArticleEdits]:
    """The edits by article, without checks; all edits of an article are accepted or refused together."""
    groups: dict[int, ArticleEdits] = {}
    allowed = {row.index for row in excerpts}
    for edit in edits[: limits.MAX_MODEL_EDITS]:
        reference = contents.find(edit.article)
        if reference is not None and reference.article in allowed and edit.action != "check":
            groups.setdefault(reference.article, ArticleEdits(reference.article)).edits.append(edit)
    for group in groups.values():
        article = contents.articles[group.index]
        _place(group, article.text)
        faults = protection.findings(article, group.spans)
        group.faults += [replace(fault, edit=group.spans[fault.edit].source) for fault in faults]
        if group.title:
            _check_title(group, protection)
    return list(groups.values())


def _place(group: ArticleEdits, text: str) -> None:
    """Find the spans of the edits; if two overlap, the later one is refused.

    A rename skips text that another edit rewrites.
    """
    placed = list[LocatedEdit]()
    for number, edit in enumerate(group.edits):
        if edit.action == "title":
            group.title = " ".join(edit.new.split())
            continue
        try:
            placed += [replace(span, source=number) for span in located_edits(edit, text)]
        except EditRefused as refusal:
            group.faults.append(Fault(str(refusal), True, number))
    end = -1
    for span in sorted(placed, key=lambda span: (span.start, span.end)):
        if span.start >= end:
            end = max(end, span.end)
            group.spans.append(span)
        elif group.edits[span.source].action != "rename":
            group.faults.append(Fault("it overlaps with another of your edits", True, span.source))


def _check_title(group: ArticleEdits, protection: Protection) -> None:
    number = max(number for number, edit in enumerate(group.edits) if edit.action == "title")
    if len(group.title) > limits.MAX_TITLE_CHARACTERS:
        group.faults.append(Fault("the title is too long", True, number))
    faults = protection.article_findings(group.title, "")
    group.faults += [replace(fault, edit=number) for fault in faults if fault.refuses]
