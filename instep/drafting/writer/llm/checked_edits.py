"""Which edits of a reply hold: each has a place in an article that was shown, and passes the hard checks."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from instep.drafting.writer.llm.article_contents import Contents
from instep.drafting.writer.llm.edit_forms import EditRefused, ModelEdit, located_edits
from instep.drafting.writer.llm.edit_prompt import RefusedEdit
from instep.drafting.writer.llm.located_edit import LocatedEdit
from instep.drafting.writer.llm.numbered_text import ShownArticle
from instep.drafting.writer.llm.protection import Protection
from instep.platform.core import limits


@dataclass(slots=True)
class ArticleEdits:
    """The edits of one article: all of them, their spans in the order of the text, and what is wrong.

    `sources` has the index in `edits` for each span. `warnings` are pairs of an index and a sentence.
    """

    index: int
    edits: list[ModelEdit] = field(default_factory=list)
    title: str = ""
    spans: list[LocatedEdit] = field(default_factory=list)
    sources: list[int] = field(default_factory=list)
    refused: list[RefusedEdit] = field(default_factory=list)
    warnings: list[tuple[int, str]] = field(default_factory=list)


def check_edits(
    edits: Sequence[ModelEdit], contents: Contents, excerpts: Sequence[ShownArticle], protection: Protection
) -> list[ArticleEdits]:
    """The edits by article, each group checked as a whole: it stands or falls together."""
    groups: dict[int, ArticleEdits] = {}
    allowed = {row.index for row in excerpts}
    for edit in edits[: limits.MAX_MODEL_EDITS]:
        reference = contents.find(edit.article)
        if reference is not None and reference.article in allowed:
            groups.setdefault(reference.article, ArticleEdits(reference.article)).edits.append(edit)
    for group in groups.values():
        _check(group, contents, protection)
    return list(groups.values())


def _check(group: ArticleEdits, contents: Contents, protection: Protection) -> None:
    article = contents.articles[group.index]
    placed = list[tuple[LocatedEdit, int]]()
    for number, edit in enumerate(group.edits):
        if edit.action == "title":
            group.title = " ".join(edit.new.split())
            continue
        try:
            placed += [(span, number) for span in located_edits(edit, article.text)]
        except EditRefused as refusal:
            group.refused.append(RefusedEdit(edit, str(refusal)))
    placed.sort(key=lambda pair: (pair[0].start, pair[0].end))
    for span, number in _without_overlaps(placed, group):
        group.spans.append(span)
        group.sources.append(number)
    for finding in protection.findings(article, group.spans):
        number = group.sources[finding.edit]
        if finding.refuses:
            group.refused.append(RefusedEdit(group.edits[number], finding.sentence))
        else:
            group.warnings.append((number, finding.sentence))
    if group.title:
        _check_title(group, protection)


def _check_title(group: ArticleEdits, protection: Protection) -> None:
    edit = next(edit for edit in reversed(group.edits) if edit.action == "title")
    if len(group.title) > limits.MAX_TITLE_CHARACTERS:
        group.refused.append(RefusedEdit(edit, "the title is too long"))
    refusals = [row.sentence for row in protection.article_findings(group.title, "") if row.refuses]
    group.refused += [RefusedEdit(edit, sentence) for sentence in refusals]


def _without_overlaps(
    placed: Iterable[tuple[LocatedEdit, int]], group: ArticleEdits
) -> Iterator[tuple[LocatedEdit, int]]:
    """The spans but those that overlap with one before; a second edit that does so is refused.

    A rename passes over what another edit writes anew.
    """
    end = -1
    for span, number in placed:
        if span.start >= end:
            end = max(end, span.end)
            yield span, number
        elif group.edits[number].action != "rename":
            group.refused.append(RefusedEdit(group.edits[number], "it overlaps with another of your edits"))
