"""What to tell in an article that is concerned where the change makes no place and no word certain."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from instep.writer.articles.headings import ArticleSection, sections_of
from instep.writer.diffs.change_set import ChangeSet
from instep.writer.facts.additions import Addition
from instep.writer.facts.changed_texts import SourceLine
from instep.writer.shapes import Change
from instep.writer.words.identifiers import mention
from instep.writer.words.prose import heading_of, in_markup_of, is_restructured, sentence_of
from instep.writer.words.terms import terms_of

_LAST = re.compile(
    r"(?:recap|summary|conclusion|see also|more info\w*|next steps?|further reading|what'?s next|references?"
    r"|technical details|feedback|troubleshooting|faq)\b",
    re.IGNORECASE,
)
_MOST_NAMES = 4


@dataclass(frozen=True, slots=True)
class Note:
    """New text at a place of an article: a section of its own, or a paragraph under the heading `beside`."""

    new: str
    place: int
    heading: str
    sources: tuple[SourceLine, ...]
    old: str = ""


def note_for(text: str, change: Change, additions: Sequence[Addition], change_set: ChangeSet) -> Note | None:
    """The change in its own words; None where it has none."""
    told = list(_told(text, change, additions))
    lead = sentence_of(change.title)
    sources = tuple(addition.source for addition in told) or first_source(change_set)
    if not sources or not (lead or told):
        return None
    body = in_markup_of(text, _body(lead, told))
    if body in text:
        return None
    sections = sections_of(text)
    best = _best(sections, change, additions)
    heading = "" if best and _is_about(best, change) else heading_of(change.title)
    made = body
    closing = _before_last(sections, text)
    place = closing if best is None else min(best.whole_end if heading else best.end, closing)
    if heading:
        made = f"{_heading(heading, best or (sections[-1] if sections else None), text)}\n\n{made}"
    return Note(_apart(made, place, text), place, best.title if best else "", sources)


def _told(text: str, change: Change, additions: Sequence[Addition]) -> Iterator[Addition]:
    """What the title names and the code explains: other new names are rarely for users."""
    known = dict[str, Addition]()
    for addition in additions:
        if addition.doc and addition.name not in text and mention(addition.name).search(change.title):
            known.setdefault(addition.name, addition)
    return iter(list(known.values())[:_MOST_NAMES])


def first_source(change_set: ChangeSet) -> tuple[SourceLine, ...]:
    """The first line that the change adds, or takes out, where users are most likely to notice it."""
    for mark in "+-":
        for file in change_set.files:
            for line in file.patch.lines():
                if line.mark == mark and line.text.strip() and file.kind not in {"test", "internal"}:
                    number = line.new if mark == "+" else line.old
                    return (SourceLine(file.patch.path, number, line.text, file.weight),)
    return ()


def _body(lead: str, told: Sequence[Addition]) -> str:
    if not told:
        return lead
    if len(told) == 1:
        return f"{lead}\n\n`{told[0].name}`: {told[0].doc}".strip()
    listed = "\n".join(f"- `{one.name}`: {one.doc}" for one in told)
    return f"{lead}\n\n{listed}".strip()


def _best(
    sections: Sequence[ArticleSection], change: Change, additions: Sequence[Addition]
) -> ArticleSection | None:
    """The section whose heading, then text, shares most with the title and the new names."""
    wanted = terms_of(change.title)
    for addition in additions[:20]:
        wanted.update(terms_of(addition.context))
    titled = terms_of(change.title).keys()

    def worth(section: ArticleSection) -> tuple[float, float]:
        words = terms_of(section.title)
        share = len(words.keys() & titled) / max(1, len(words))
        body = terms_of(section.text)
        return share, len(body.keys() & wanted.keys()) / (10 + len(body)) ** 0.5

    open_ones = [one for one in sections if not _LAST.match(one.title) and any(worth(one))]
    return max(open_ones, key=worth, default=None)


def _is_about(section: ArticleSection, change: Change) -> bool:
    """Most words of the heading stand in the title: no section of its own is wanted."""
    words = terms_of(section.title)
    return bool(words) and 2 * len(words.keys() & terms_of(change.title).keys()) > len(words)


def _before_last(sections: Sequence[ArticleSection], text: str) -> int:
    """The end of the article, before a closing section that sums up or leads on."""
    closing = next((one for one in sections if _LAST.match(one.title) and one.whole_end >= len(text)), None)
    return closing.start if closing else len(text)


def _heading(title: str, like: ArticleSection | None, text: str) -> str:
    if is_restructured(text):
        return f"{title}\n{(like.mark if like else '-') * len(title)}"
    return f"{like.mark if like and like.mark.startswith('#') else '##'} {title}"


def _apart(made: str, place: int, text: str) -> str:
    """With one blank line before and after."""
    before = (
        "" if not place or text[:place].endswith("\n\n") else "\n" if text[:place].endswith("\n") else "\n\n"
    )
    after = "\n\n" if text[place:].strip() else "\n"
    return f"{before}{made}{after}"
