"""A note for an article that a change concerns, where neither the place nor the words are certain."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from instep.core.name_matching import mention
from instep.writer.articles.headings import ArticleSection, sections_of
from instep.writer.diffs.change_set import ChangeSet
from instep.writer.facts.additions import Addition
from instep.writer.facts.changed_texts import SourceLine
from instep.writer.shapes import Change
from instep.writer.words.change_terms import change_terms
from instep.writer.words.prose import heading_of, in_markup_of, is_restructured, sentence_of

_CLOSING_SECTION = re.compile(
    r"(?:recap|summary|conclusion|see also|more info\w*|next steps?|further reading|what'?s next|references?"
    r"|technical details|feedback|troubleshooting|faq)\b",
    re.IGNORECASE,
)
_MAX_NAMES = 4


@dataclass(frozen=True, slots=True)
class Note:
    """New text at an offset of an article: a section of its own, or a paragraph under `heading`."""

    new: str
    place: int
    heading: str
    sources: tuple[SourceLine, ...]
    old: str = ""


def note_for(text: str, change: Change, additions: Sequence[Addition], change_set: ChangeSet) -> Note | None:
    """The change in its own words; None if it has no prose or the article has that text already."""
    described = list(_described(text, change, additions))
    lead = sentence_of(change.title)
    sources = tuple(addition.source for addition in described) or first_source(change_set)
    if not sources or not (lead or described):
        return None
    body = in_markup_of(text, _body(lead, described))
    if body in text:
        return None
    sections = sections_of(text)
    section = _best(sections, change, additions)
    heading = "" if section and _is_about(section, change) else heading_of(change.title)
    place = _end_of_body(sections, text)
    if section:
        place = min(section.whole_end if heading else section.end, place)
    note_text = body
    if heading:
        model_section = section or next(reversed(sections), None)
        note_text = f"{_heading(heading, model_section, text)}\n\n{body}"
    return Note(_with_blank_lines(note_text, place, text), place, section.title if section else "", sources)


def _described(text: str, change: Change, additions: Sequence[Addition]) -> Iterator[Addition]:
    """New names that the title mentions and the code describes: others rarely concern users."""
    additions_by_name = dict[str, Addition]()
    for addition in additions:
        if addition.doc and addition.name not in text and mention(addition.name).search(change.title):
            additions_by_name.setdefault(addition.name, addition)
    return iter(list(additions_by_name.values())[:_MAX_NAMES])


def first_source(change_set: ChangeSet) -> tuple[SourceLine, ...]:
    """The first line that the change adds, or else removes, in the files that concern users most."""
    for mark in "+-":
        for file in change_set.files:
            for line in file.patch.lines():
                if line.mark == mark and line.text.strip() and file.kind not in {"test", "internal"}:
                    number = line.new if mark == "+" else line.old
                    return (SourceLine(file.patch.path, number, line.text, file.weight),)
    return ()


def _body(lead: str, described: Sequence[Addition]) -> str:
    if not described:
        return lead
    if len(described) == 1:
        return f"{lead}\n\n`{described[0].name}`: {described[0].doc}".strip()
    items = "\n".join(f"- `{addition.name}`: {addition.doc}" for addition in described)
    return f"{lead}\n\n{items}".strip()


def _best(
    sections: Sequence[ArticleSection], change: Change, additions: Sequence[Addition]
) -> ArticleSection | None:
    """The section whose heading, then text, shares most terms with the title and the new names."""
    terms = change_terms(change.title)
    for addition in additions[:20]:
        terms.update(change_terms(addition.context))
    title_terms = change_terms(change.title).keys()

    def overlap(section: ArticleSection) -> tuple[float, float]:
        words = change_terms(section.title)
        share = len(words.keys() & title_terms) / max(1, len(words))
        body = change_terms(section.text)
        return share, len(body.keys() & terms.keys()) / (10 + len(body)) ** 0.5

    candidates = [
        section for section in sections if not _CLOSING_SECTION.match(section.title) and any(overlap(section))
    ]
    return max(candidates, key=overlap, default=None)


def _is_about(section: ArticleSection, change: Change) -> bool:
    """Whether most terms of the heading are in the title, so that the note needs no section of its own."""
    words = change_terms(section.title)
    return bool(words) and 2 * len(words.keys() & change_terms(change.title).keys()) > len(words)


def _end_of_body(sections: Sequence[ArticleSection], text: str) -> int:
    """The end of the article, or the start of a closing section such as a summary."""
    last = (section for section in sections if section.whole_end >= len(text))
    closing = next((section for section in last if _CLOSING_SECTION.match(section.title)), None)
    return closing.start if closing else len(text)


def _heading(title: str, model_section: ArticleSection | None, text: str) -> str:
    if is_restructured(text):
        return f"{title}\n{(model_section.mark if model_section else '-') * len(title)}"
    return f"{model_section.mark if model_section and model_section.mark.startswith('#') else '##'} {title}"


def _with_blank_lines(note_text: str, place: int, text: str) -> str:
    """The text with one blank line before and after it."""
    before = (
        "" if not place or text[:place].endswith("\n\n") else "\n" if text[:place].endswith("\n") else "\n\n"
    )
    after = "\n\n" if text[place:].strip() else "\n"
    return f"{before}{note_text}{after}"
