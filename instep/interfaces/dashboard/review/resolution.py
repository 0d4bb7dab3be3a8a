"""The page of a conflict: three versions of each part, and the choices of a form."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup, escape

from instep.drafting.drafts.conflicts import (
    ConflictPart,
    MergePart,
    joined_text,
    merge_parts,
    merged_title,
    titles_of,
)
from instep.drafting.drafts.schemas import DraftTexts
from instep.interfaces.dashboard.review.block_marks import mark_block
from instep.interfaces.dashboard.review.pieces import excerpt_html
from instep.interfaces.dashboard.review.proof import is_provable_at_once
from instep.platform.core import limits
from instep.platform.core.errors import InvalidRequest
from instep.platform.core.markdown_cost import TooComplex, refuse_costly_markdown
from instep.platform.core.sandbox import TimeLimitExceeded, run_bounded
from instep.platform.text.blocks import Block, read_blocks
from instep.platform.text.diff import split_lines

# Opening lines of a block that the lines below them don't reveal.
OPENING_LINES = {"table": 2, "code": 1}
NAMES = {"live": "Live now", "base": "Original", "proposal": "Proposed"}
OWN = "own"
# Lines of the merged text that are shown above and below a conflict.
CONTEXT_LINES = 6


@dataclass(frozen=True, slots=True)
class Openings:
    """The tables and the code of a text with its lines, which count from 1."""

    lines: Sequence[str] = ()
    blocks: Sequence[Block] = ()

    def above(self, line: int) -> str:
        """The first lines of the block that continues at this line; empty if none does."""
        for block in self.blocks:
            # A row is part of the table that ends above it.
            last = block.last_line + (block.kind == "table")
            if block.first_line < line <= last:
                end = min(block.first_line - 1 + OPENING_LINES[block.kind], line - 1)
                return "".join(f"{opening}\n" for opening in self.lines[block.first_line - 1 : end])
        return ""


def openings_of(text: str) -> Openings:
    """The openings of a text; empty for a text too complex to be parsed in time."""
    try:
        refuse_costly_markdown(text)
    except TooComplex:
        return Openings()
    parsed = read_blocks(text)
    blocks = [
        block
        for block in parsed.blocks
        if block.depth == 0 and (block.kind == "table" or (block.kind == "code" and block.marker))
    ]
    return Openings(parsed.lines, blocks)


class UndecidedConflict(InvalidRequest):
    """Pick one version for each conflict: nothing has been applied yet."""


@dataclass(frozen=True, slots=True)
class ShownConflict:
    """One conflict: the text above it, its versions (value, name, HTML), and the proposal to edit."""

    before: Markup
    versions: list[tuple[str, str, Markup]]
    proposal: str


@dataclass(slots=True)
class Resolution:
    """All conflicts, and the choices made so far."""

    titles: list[tuple[str, str, str]]
    conflicts: list[ShownConflict]
    after: Markup
    picks: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""


async def read_resolution(
    draft: DraftTexts, picks: Mapping[str, str] | None = None, problem: str = ""
) -> Resolution:
    parts = await merge_parts(draft)
    is_small = is_provable_at_once(draft.current_content + draft.base_content + draft.content)
    try:
        conflicts, after = await run_bounded(
            shown_parts, parts, seconds=limits.MAX_RENDER_SECONDS, is_small=is_small
        )
    except TimeLimitExceeded:
        conflicts, after = [unrendered(part) for part in parts if isinstance(part, ConflictPart)], Markup("")
    return Resolution(titles_to_pick(draft), conflicts, after, picks or {}, problem)


def shown_parts(parts: Sequence[MergePart]) -> tuple[list[ShownConflict], Markup]:
    """The conflicts, each with the text above it, and the text below the last one."""
    live = joined_text(parts, [part.live for part in parts if isinstance(part, ConflictPart)])
    openings = openings_of(live)
    conflicts: list[ShownConflict] = []
    above, line = Markup(""), 1
    for part in parts:
        opening = openings.above(line)
        if isinstance(part, ConflictPart):
            conflicts.append(shown_conflict(part, above, opening))
            above, line = Markup(""), line + len(split_lines(part.live))
            continue
        is_last = part is parts[-1]
        lines = split_lines(part.text)
        line += len(lines)
        if is_last:
            above = html_of(opening + "".join(lines[:CONTEXT_LINES]))
        else:
            above = context_above(lines, line, openings)
    return conflicts, above


def unrendered(part: ConflictPart) -> ShownConflict:
    """A conflict whose texts take too long to render."""
    texts = {"live": part.live, "base": part.base, "proposal": part.proposal}
    versions = [(value, name, as_source(texts[value])) for value, name in NAMES.items()]
    return ShownConflict(Markup(""), versions, part.proposal)


def titles_to_pick(draft: DraftTexts) -> list[tuple[str, str, str]]:
    """The titles to choose from; empty if they can be merged."""
    if merged_title(draft) is not None:
        return []
    return [(value, NAMES[value], title) for value, title in titles_of(draft).items()]


def context_above(lines: Sequence[str], end: int, openings: Openings) -> Markup:
    """The last of these lines, above the conflict at line `end`."""
    # The versions of the conflict begin with the header of their table.
    opening = split_lines(openings.above(end))
    if opening and lines[-len(opening) :] == opening:
        lines, end = lines[: -len(opening)], end - len(opening)
    context = lines[-CONTEXT_LINES:]
    return html_of(openings.above(end - len(context)) + "".join(context))


def shown_conflict(part: ConflictPart, above: Markup, opening: str) -> ShownConflict:
    texts = {"live": part.live, "base": part.base, "proposal": part.proposal}
    base = html_of(opening + part.base)
    versions = []
    for value, name in NAMES.items():
        html = html_of(opening + texts[value]) if texts[value].strip() else Markup("")
        marked = Markup(mark_block(base, html).html) if html and value != "base" else html
        versions.append((value, name, marked or Markup("<p><em>Nothing: these lines are removed.</em></p>")))
    return ShownConflict(above, versions, part.proposal)


def html_of(text: str) -> Markup:
    """A part of a text as HTML; the text itself if it is too complex to be rendered in time."""
    try:
        refuse_costly_markdown(text)
    except TooComplex:
        return as_source(text)
    return Markup(excerpt_html(text).strip())


def as_source(text: str) -> Markup:
    return Markup("<code>{}</code>").format(escape(text))


def picked_title(draft: DraftTexts, fields: Mapping[str, str]) -> str:
    """The title chosen in a form, or the merged one."""
    merged = merged_title(draft)
    if merged is not None:
        return merged
    title = titles_of(draft).get(fields.get("title", ""))
    if title is None:
        raise UndecidedConflict
    return title


def picked_text(parts: list[MergePart], fields: Mapping[str, str]) -> str:
    """The text resulting from the choices in a form."""
    conflicts = [part for part in parts if isinstance(part, ConflictPart)]
    decisions = [decision(part, number, fields) for number, part in enumerate(conflicts, 1)]
    return joined_text(parts, decisions)


def decision(part: ConflictPart, number: int, fields: Mapping[str, str]) -> str:
    versions = {"live": part.live, "base": part.base, "proposal": part.proposal}
    versions[OWN] = fields.get(f"own-{number}", "").replace("\r\n", "\n")
    pick = fields.get(f"pick-{number}", "")
    if pick not in versions:
        raise UndecidedConflict
    return versions[pick]
