"""The page of a conflict: three versions of each place, and what a form picks of them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from markupsafe import Markup, escape

from instep.core import limits
from instep.core.errors import InvalidRequest
from instep.core.markdown import renders_at_once
from instep.core.markdown_cost import TooComplex, refuse_costly_markdown
from instep.core.sandbox import TimeLimitExceeded, run_with_timeout
from instep.dashboard.review.pieces import excerpt_html
from instep.dashboard.review.word_marks import mark_words
from instep.drafts.conflicts import (
    ConflictPart,
    MergedPart,
    MergePart,
    joined_text,
    merge_parts,
    merged_title,
    titles_of,
)
from instep.drafts.schemas import DraftTexts
from instep.text.diff import split_lines

NAMES = {"live": "Live now", "base": "Before both", "proposal": "Proposed"}
OWN = "own"
# Lines of the merged text that are shown above and below a conflict.
CONTEXT_LINES = 6
# The line below the head of a table.
TABLE_RULE = re.compile(r"[|: -]+")


class UndecidedConflict(InvalidRequest):
    """Pick one version for each conflict: nothing has been applied yet."""


@dataclass(frozen=True, slots=True)
class ShownConflict:
    """One place: the text above it, its versions (value, name, HTML), and the proposal to edit."""

    before: Markup
    versions: list[tuple[str, str, Markup]]
    proposal: str


@dataclass(slots=True)
class Resolution:
    """All places, and what has been picked already."""

    titles: list[tuple[str, str, str]]
    conflicts: list[ShownConflict]
    after: Markup
    picks: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""


async def read_resolution(
    draft: DraftTexts, picks: Mapping[str, str] | None = None, problem: str = ""
) -> Resolution:
    parts = await merge_parts(draft)
    conflicts: list[ShownConflict] = []
    above = ""
    for part in parts:
        if isinstance(part, MergedPart):
            above = part.text
            continue
        conflicts.append(await shown_conflict(part, above))
        above = ""
    return Resolution(
        titles_to_pick(draft), conflicts, await html_of(lines_below(above)), picks or {}, problem
    )


def titles_to_pick(draft: DraftTexts) -> list[tuple[str, str, str]]:
    """The titles to choose from; none where they can be merged."""
    if merged_title(draft) is not None:
        return []
    return [(value, NAMES[value], title) for value, title in titles_of(draft).items()]


async def shown_conflict(part: ConflictPart, above: str) -> ShownConflict:
    # Rows of a table are shown below its head.
    head = table_head(above) if part.proposal.startswith("|") or part.live.startswith("|") else ""
    base = await html_of(head + part.base)
    texts = {"live": part.live, "base": part.base, "proposal": part.proposal}
    versions = []
    for value, name in NAMES.items():
        html = await html_of(head + texts[value]) if texts[value].strip() else Markup("")
        marked = Markup(mark_words(base, html).html) if html and value != "base" else html
        versions.append((value, name, marked or Markup("<p><em>Nothing: these lines go.</em></p>")))
    return ShownConflict(await html_of(lines_above(above.removesuffix(head))), versions, part.proposal)


def table_head(above: str) -> str:
    """The two lines of a table's head that a text ends with; empty if it ends with something else."""
    lines = split_lines(above)[-2:]
    return "".join(lines) if len(lines) == 2 and is_table_rule(lines[1]) else ""


async def html_of(text: str) -> Markup:
    """A part of a text as HTML; the text itself if it is too complex to be rendered in time."""
    try:
        if renders_at_once(text):
            return Markup(rendered_part(text))
        return Markup(await run_with_timeout(rendered_part, text, seconds=limits.MAX_RENDER_SECONDS))
    except (TimeLimitExceeded, TooComplex):
        return Markup("<code>{}</code>").format(escape(text))


def rendered_part(text: str) -> str:
    refuse_costly_markdown(text)
    return excerpt_html(text).strip()


def lines_above(text: str) -> str:
    return "".join(split_lines(text)[-CONTEXT_LINES:])


def lines_below(text: str) -> str:
    return "".join(split_lines(text)[:CONTEXT_LINES])


def is_table_rule(line: str) -> bool:
    return "-" in line and TABLE_RULE.fullmatch(line.strip()) is not None


def picked_title(draft: DraftTexts, fields: Mapping[str, str]) -> str:
    """The title that a form picks, or the merged one."""
    merged = merged_title(draft)
    if merged is not None:
        return merged
    title = titles_of(draft).get(fields.get("title", ""))
    if title is None:
        raise UndecidedConflict
    return title


def picked_text(parts: list[MergePart], fields: Mapping[str, str]) -> str:
    """The text that a form makes of the conflicts."""
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
