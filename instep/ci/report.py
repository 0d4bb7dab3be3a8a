"""What a run tells: lines for the log of a CI, one JSON object, and Markdown for a summary page."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from instep.ci.diff import LeftOut
from instep.ci.escaping import COMMAND, escaped, fenced, line_excerpt, one_line, without_commands
from instep.ci.shapes import Draft, Evidence, Task
from instep.core import limits

TYPES = {"edit": "edit", "new_article": "new article", "gap_draft": "new article from questions"}


@dataclass(frozen=True, slots=True)
class Run:
    """What came of a run; without a task when there was nothing to send."""

    url: str
    left_out: Sequence[LeftOut]
    task: Task | None = None
    drafts: Sequence[Draft] = ()
    # Those that the change was narrowed to.
    paths: Sequence[str] = ()

    @property
    def nothing(self) -> str:
        """Why there is no task."""
        if self.left_out:
            return "Nothing to send: no file is changed that readers of articles could notice."
        if self.paths:
            return (
                f"Nothing to send: no file below {', '.join(map(without_commands, self.paths))} is changed."
            )
        return "Nothing to send: both revisions are the same."

    @property
    def untold(self) -> int:
        """How many drafts of the task were not even read."""
        return max(0, len(self.task.drafts) - limits.MAX_REPORTED_DRAFTS) if self.task else 0

    @property
    def waiting(self) -> int:
        """How many drafts nobody has applied or dismissed; those that were not read are taken to wait."""
        return self.untold + sum(draft.status == "pending" for draft in self.drafts)


def as_json(run: Run) -> str:
    """The task as the API has it, with the drafts in full and what was not sent."""
    nothing: dict[str, Any] = {"id": None, "status": None, "outcome": None, "drafts": []}
    told = run.task.model_dump(by_alias=True) if run.task else nothing
    told["draftDetails"] = [draft.model_dump(by_alias=True) for draft in run.drafts]
    told["leftOut"] = [{"file": left.file, "reason": left.reason} for left in run.left_out]
    # Such signs can only stand in strings, where they may be spelled otherwise.
    return COMMAND.sub(r"\\u0023#", json.dumps(told))


def as_text(run: Run) -> str:
    """No line begins with words of others: those could be commands to whoever reads the log."""
    if run.task is None:
        return run.nothing
    lines = [f"Task {without_commands(run.task.id)}: {outcome_of(run.task, run.waiting)}"]
    if run.task.summary:
        lines.append(f"   found   {one_line(run.task.summary)}")
    lines.append(f"   task    {address(run, 'tasks', run.task.id)}")
    for number, draft in enumerate(run.drafts, 1):
        lines += ["", *draft_lines(run, number, draft)]
    if run.untold:
        lines += ["", f"{run.untold} more: {run.url}/v1/drafts"]
    return "\n".join(lines)


def draft_lines(run: Run, number: int, draft: Draft) -> Iterator[str]:
    yield f"{number}. {one_line(draft.title)}"
    yield f"   draft   {nature(draft)}"
    if draft.reason:
        yield f"   why     {one_line(draft.reason)}"
    for place in draft.evidence:
        yield f"   code    {place_of(place)}  {line_excerpt(place.excerpt.strip())}"
    for warning in draft.warnings:
        yield f"   check   {one_line(warning)}"
    yield f"   review  instep draft show {without_commands(draft.id)}"
    for line in small_text(draft):
        yield f"   | {line}"


def as_markdown(run: Run) -> str:
    """For the page that GitHub shows of a run; words of others stay words."""
    if run.task is None:
        return f"### Instep\n\n{escaped(run.nothing)}\n"
    page = f"### Instep: {escaped(outcome_of(run.task, run.waiting))}\n"
    if run.task.summary:
        page += f"\n{escaped(run.task.summary)}\n"
    untold = run.untold
    for number, draft in enumerate(run.drafts):
        part = draft_markdown(run, draft)
        if len(page.encode()) + len(part.encode()) > limits.MAX_SUMMARY_BYTES:
            untold += len(run.drafts) - number
            break
        page += part
    return page + (f"\n{untold} more: `{run.url}/v1/drafts`\n" if untold else "")


def draft_markdown(run: Run, draft: Draft) -> str:
    parts = [
        f"#### {escaped(draft.title)}",
        f"{escaped(nature(draft))}: `instep draft show {without_commands(draft.id)}`",
        escaped(draft.reason or ""),
        "\n".join(f"- {escaped(place_of(place))}" for place in draft.evidence),
        "\n".join(f"- Check: {escaped(warning)}" for warning in draft.warnings),
    ]
    if lines := small_text(draft):
        parts.append(fenced(lines, "markdown" if draft.diff is None else "diff"))
    return "".join(f"\n{part}\n" for part in parts if part)


def outcome_of(task: Task, waiting: int) -> str:
    if task.error:
        return f"failed: {one_line(task.error.message)}"
    if task.outcome == "drafts":
        drafts = "1 draft waits" if waiting == 1 else f"{waiting} drafts wait"
        return f"{drafts} for review" if waiting else "all drafts are reviewed"
    return "no article needs an edit" if task.outcome == "no_changes" else without_commands(task.status)


def nature(draft: Draft) -> str:
    """What kind of a draft it is, of which article, and whether somebody has settled it already."""
    of = f" of “{draft.article_title}”" if draft.type == "edit" else ""
    state = "" if draft.status == "pending" else f", {draft.status}"
    return one_line(f"{TYPES.get(draft.type, draft.type)}{of} ({draft.article_id}){state}")


def address(run: Run, things: str, thing_id: str) -> str:
    """Where it can be read whole; a draft is applied and dismissed below it."""
    return f"{run.url}/v1/{things}/{re.sub(r'[^0-9A-Za-z_]', '', thing_id)}"


def place_of(place: Evidence) -> str:
    last = f"-{place.end_line}" if place.end_line > place.start_line else ""
    return f"{without_commands(place.file)}:{place.start_line}{last}"


def small_text(draft: Draft) -> list[str]:
    """The diff of an edit or the text of a new article, unless it is too long for a log."""
    text = draft.content_markdown if draft.diff is None else draft.diff
    lines = text.rstrip("\n").split("\n")
    return (
        [line_excerpt(line.rstrip("\r")) for line in lines]
        if len(lines) <= limits.MAX_REPORTED_DIFF_LINES
        else []
    )


def left_out_lines(left_out: Sequence[LeftOut]) -> Iterator[str]:
    for left in left_out[: limits.MAX_REPORTED_SKIPPED_FILES]:
        yield f"Left out: {left.file} ({left.reason})."
    if untold := len(left_out[limits.MAX_REPORTED_SKIPPED_FILES :]):
        yield f"Left out: {untold} more."
