"""Report a run: lines for the log of a CI, one JSON object, or Markdown for a summary page."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from instep.client.ci.diff import LeftOut
from instep.client.ci.escaping import COMMAND, escaped, fenced, line_excerpt, one_line, without_commands
from instep.client.ci.shapes import Bot, Draft, Evidence, Place, Task
from instep.platform.core import limits

# The note of unified diffs about a missing line break; no line of a diff's text begins with a backslash.
NO_NEWLINE = "\\ No newline at end of file"
TYPES = {"edit": "edit", "new_article": "new article", "gap_draft": "new article from questions"}


@dataclass(frozen=True, slots=True)
class Run:
    """The result of a run; without a task if there was nothing to send."""

    url: str
    left_out: Sequence[LeftOut]
    task: Task | None = None
    drafts: Sequence[Draft] = ()
    # The open places of the task.
    places: Sequence[Place] = ()
    # The pathspecs that the change was limited to.
    paths: Sequence[str] = ()
    bot: Bot | None = None

    @property
    def no_task_reason(self) -> str:
        if self.left_out:
            return "Nothing to send: no changed file affects readers of articles."
        if self.paths:
            return (
                f"Nothing to send: no file below {', '.join(map(without_commands, self.paths))} is changed."
            )
        return "Nothing to send: both revisions are the same."

    @property
    def unread_count(self) -> int:
        """The number of drafts that were not fetched, because they exceed the report's limit."""
        return max(0, len(self.task.drafts) - limits.MAX_REPORTED_DRAFTS) if self.task else 0

    @property
    def pending_count(self) -> int:
        """The number of drafts that await review; drafts that were not fetched count as pending."""
        return self.unread_count + sum(draft.awaits_review for draft in self.drafts)

    @property
    def is_settled(self) -> bool:
        """True if no draft awaits review, and no place needs writing."""
        return not self.pending_count and not self.places


def as_json(run: Run) -> str:
    """The task as the API returns it, with its drafts in full and the files that were not sent."""
    no_task: dict[str, Any] = {"id": None, "status": None, "outcome": None, "drafts": []}
    fields = dict(run.task.document if run.task else no_task)
    fields["draftDetails"] = [draft.document for draft in run.drafts]
    fields["placeDetails"] = [place.document for place in run.places]
    fields["leftOut"] = [{"file": file.file, "reason": file.reason} for file in run.left_out]
    # A runner would execute these characters. They occur only in strings, which may contain escapes.
    return COMMAND.sub(r"\\u0023#", json.dumps(fields))


def as_text(run: Run) -> str:
    """Lines for a log. None begins with untrusted text, which a runner could execute as a command."""
    if run.task is None or run.bot is None:
        return run.no_task_reason
    lines = [f"Task {without_commands(run.task.id)}: {outcome_of(run, run.task)}"]
    if run.task.summary:
        lines.append(f"   found   {one_line(run.task.summary)}")
    if model := run.task.model:
        tokens = f"{model.input_tokens + model.output_tokens:,} tokens, questions: {model.calls}"
        lines.append(f"   model   {one_line(model.name)} ({tokens})")
    lines.append(f"   task    {dashboard_page(run.url, run.bot, 'tasks', run.task.id)}")
    for number, draft in enumerate(run.drafts, 1):
        lines += ["", *draft_lines(run.url, run.bot, number, draft)]
    for place in run.places:
        lines += ["", *place_lines(run.url, run.bot, place)]
    if run.unread_count:
        lines += ["", f"{run.unread_count} more: {dashboard_page(run.url, run.bot, 'review')}"]
    return "\n".join(lines)


def draft_lines(url: str, bot: Bot, number: int, draft: Draft) -> Iterator[str]:
    yield f"{number}. {one_line(draft.title)}"
    yield f"   draft   {describe(draft)}"
    if draft.reason:
        yield f"   why     {one_line(draft.reason)}"
    for place in draft.evidence:
        yield f"   code    {place_of(place)}  {line_excerpt(place.excerpt.strip())}"
    for warning in draft.warnings:
        yield f"   check   {one_line(warning)}"
    yield f"   review  {dashboard_page(url, bot, 'review', draft.id)}"
    yield f"   or      instep draft show {without_commands(draft.id)}"
    for line in small_text(draft):
        yield f"   | {line}"


def place_lines(url: str, bot: Bot, place: Place) -> Iterator[str]:
    yield f"Needs writing: {one_line(where(place))}"
    yield f"   why     {one_line(place.reason)}"
    for source in place.evidence:
        yield f"   code    {place_of(source)}  {line_excerpt(source.excerpt.strip())}"
    yield f"   write   {dashboard_page(url, bot, 'review', place.id)}"


def where(place: Place) -> str:
    """The article, the section and the line."""
    section = f", under “{place.heading}”" if place.heading else ""
    return f"“{place.article_title}”{section}, line {place.line}"


def as_markdown(run: Run) -> str:
    """Markdown for GitHub's page about a run; text by others is escaped."""
    if run.task is None or run.bot is None:
        return f"### Instep\n\n{escaped(run.no_task_reason)}\n"
    page = f"### Instep: {escaped(outcome_of(run, run.task))}\n"
    if run.task.summary:
        page += f"\n{escaped(run.task.summary)}\n"
    parts = [draft_markdown(run.url, run.bot, draft) for draft in run.drafts]
    parts += [place_markdown(run.url, run.bot, place) for place in run.places]
    omitted = run.unread_count
    for number, part in enumerate(parts):
        if len(page.encode()) + len(part.encode()) > limits.MAX_SUMMARY_BYTES:
            omitted += len(parts) - number
            break
        page += part
    queue = dashboard_page(run.url, run.bot, "review")
    return page + (f"\n[{omitted} more]({queue})\n" if omitted else "")


def draft_markdown(url: str, bot: Bot, draft: Draft) -> str:
    parts = [
        f"#### [{escaped(draft.title)}]({dashboard_page(url, bot, 'review', draft.id)})",
        f"{escaped(describe(draft))}: `instep draft show {without_commands(draft.id)}`",
        escaped(draft.reason or ""),
        "\n".join(f"- {escaped(place_of(place))}" for place in draft.evidence),
        "\n".join(f"- Check: {escaped(warning)}" for warning in draft.warnings),
    ]
    if lines := small_text(draft):
        parts.append(fenced(lines, "markdown" if draft.diff is None else "diff"))
    return "".join(f"\n{part}\n" for part in parts if part)


def place_markdown(url: str, bot: Bot, place: Place) -> str:
    parts = [
        f"#### [Needs writing: {escaped(where(place))}]({dashboard_page(url, bot, 'review', place.id)})",
        escaped(place.reason),
        "\n".join(f"- {escaped(place_of(source))}" for source in place.evidence),
    ]
    return "".join(f"\n{part}\n" for part in parts if part)


def outcome_of(run: Run, task: Task) -> str:
    if task.error:
        return f"failed: {one_line(task.error.message)}"
    if not run.is_settled:
        return count_text(run.pending_count, len(run.places))
    if task.outcome in ("drafts", "places"):
        return "all drafts are reviewed" if task.outcome == "drafts" else "all places are settled"
    return "no article needs an edit" if task.outcome == "no_changes" else without_commands(task.status)


def count_text(drafts: int, places: int) -> str:
    """`1 draft waits for review, 2 places need writing`."""
    counts = [
        ("1 draft waits" if drafts == 1 else f"{drafts} drafts wait") + " for review" if drafts else "",
        ("1 place needs" if places == 1 else f"{places} places need") + " writing" if places else "",
    ]
    return ", ".join(filter(None, counts))


def describe(draft: Draft) -> str:
    """The draft's type, its article, and its state."""
    target = f" of “{draft.article_title}”" if draft.type == "edit" else ""
    state = state_of(draft.status, draft.approved_at)
    return one_line(f"{TYPES.get(draft.type, draft.type)}{target} ({draft.article_id}){state}")


def state_of(status: str, approved_at: str | None) -> str:
    """The state of a settled or approved draft, after a comma; empty while it awaits review."""
    if status != "pending":
        return f", {status}"
    return "" if approved_at is None else ", approved for a release"


def dashboard_page(url: str, bot: Bot, *path: str) -> str:
    """The URL of one of the bot's dashboard pages, where people review; path parts are quoted."""
    return "/".join([url, "app", *(quote(name, safe="") for name in (bot.slug or bot.id, *path))])


def place_of(place: Evidence) -> str:
    last = f"-{place.end_line}" if place.end_line > place.start_line else ""
    return f"{without_commands(place.file)}:{place.start_line}{last}"


def small_text(draft: Draft) -> list[str]:
    """The diff of an edit or the text of a new article, unless it is too long for a log."""
    lines = text_lines(draft.content_markdown, draft.diff)
    return (
        [line_excerpt(line.rstrip("\r")) for line in lines]
        if len(lines) <= limits.MAX_REPORTED_DIFF_LINES
        else []
    )


def text_lines(text: str, diff: str | None) -> list[str]:
    """The lines of a draft's diff, or of its text if it has none.

    A missing line break at the end is noted only if the other text has one.
    """
    lines = (text if diff is None else diff).rstrip("\n").split("\n")
    notes = [] if diff is None else [n for n, line in enumerate(lines) if line == NO_NEWLINE]
    if len(notes) == 1 and lines[notes[0] - 1][:1] in ("+", "-"):
        return lines
    return [line for number, line in enumerate(lines) if number not in notes]


def left_out_lines(left_out: Sequence[LeftOut]) -> Iterator[str]:
    for file in left_out[: limits.MAX_REPORTED_SKIPPED_FILES]:
        yield f"Left out: {file.file} ({file.reason})."
    if omitted := len(left_out[limits.MAX_REPORTED_SKIPPED_FILES :]):
        yield f"Left out: {omitted} more."
