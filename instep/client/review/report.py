"""Formats drafts and places for a terminal."""

from collections.abc import Iterator, Sequence

from instep.client.ci.escaping import line_excerpt, one_line, without_commands
from instep.client.ci.report import TYPES, place_of, state_of, text_lines, where
from instep.client.ci.shapes import Place, PlaceList
from instep.client.review.shapes import DraftShown, QueueEntry, QueuePage

HEADERS = ("ID", "TYPE", "LINES", "CHANGED", "TITLE")
NONE_WAITS = "No drafts are waiting for review."
NO_PLACE = "No places need writing."
# The numbers of colors in ECMA-48 (section 8.3.117): cyan, green, red.
COLOURS = {"@": 36, "+": 32, "-": 31}


def as_table(page: QueuePage) -> str:
    if not page.results:
        return NONE_WAITS
    rows = [HEADERS, *(cells_of(entry) for entry in page.results)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADERS) - 1)]
    return "\n".join(aligned(row, widths) for row in rows)


def as_places(page: PlaceList) -> str:
    """Each place as a paragraph."""
    return "\n\n".join("\n".join(place_lines(place)) for place in page.results) or NO_PLACE


def place_lines(place: Place) -> Iterator[str]:
    yield f"{without_commands(place.id)}  {one_line(where(place))}"
    facts = {"version": place.version, "since": place.since_version, "until": place.until_version}
    facts["why"] = place.reason
    yield from (f"  {name:8}{one_line(text)}" for name, text in facts.items() if text)
    for source in place.evidence:
        yield f"  code    {place_of(source)}  {line_excerpt(source.excerpt.strip())}"


def cells_of(entry: QueueEntry) -> tuple[str, ...]:
    lines = f"+{entry.additions} -{entry.deletions}"
    title = line_excerpt(one_line(entry.title))
    if entry.version:
        title += f" (for {one_line(entry.version)})"
    return (
        without_commands(entry.id),
        without_commands(TYPES.get(entry.type, entry.type)),
        lines,
        "yes" if entry.conflict else "-",
        title,
    )


def aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    """The cells in columns; the last one is not padded."""
    cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
    return "  ".join([*cells, row[-1]])


def as_text(draft: DraftShown, has_colours: bool) -> str:
    """The facts, then the diff of an edit or the text of a new article."""
    head = [one_line(draft.title), *(f"  {name:8}{text}" for name, text in facts_of(draft))]
    lines = [without_commands(line) for line in text_lines(draft.content_markdown, draft.diff)]
    if has_colours and draft.diff is not None:
        # The first two lines of a diff name its sides; they begin like removed and added lines.
        lines[2:] = [coloured(line) for line in lines[2:]]
    return "\n".join([*head, "", *lines])


def facts_of(draft: DraftShown) -> Iterator[tuple[str, str]]:
    """The facts above the text, by name."""
    state = state_of(draft.status, draft.approved_at)
    kind = TYPES.get(draft.type, draft.type)
    yield "draft", without_commands(f"{draft.id} ({kind}, +{draft.additions} -{draft.deletions}{state})")
    yield "article", one_line(f"{draft.article_title} ({draft.article_id})")
    facts = {"version": draft.version, "source": draft.source_url, "why": draft.reason}
    yield from ((name, one_line(text)) for name, text in facts.items() if text)
    yield from (("asked", one_line(question)) for question in draft.questions)
    # Several edits of an article may be based on the same line.
    places = dict.fromkeys(
        f"{place_of(place)}  {line_excerpt(place.excerpt.strip())}" for place in draft.evidence
    )
    yield from (("code", place) for place in places)
    if draft.conflict:
        yield "since", "The article has changed since this was proposed."
    yield from (("check", one_line(warning)) for warning in draft.warnings)


def coloured(line: str) -> str:
    colour = COLOURS.get(line[:1])
    return f"\x1b[{colour}m{line}\x1b[0m" if colour else line
