"""Report a backfill: how many changes were sent, why others were not, and what waits for review."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from instep.client.ci.client import TokenEstimate
from instep.client.ci.escaping import COMMAND, one_line
from instep.client.ci.merged_changes import MergedChange
from instep.client.ci.report import Run, count_text, dashboard_page
from instep.client.ci.shapes import Bot, Task
from instep.platform.text.characters import quantity


@dataclass(frozen=True, slots=True)
class BackfilledChange:
    """The result of a change: its task, or why it was not sent; neither in a dry run."""

    change: MergedChange
    task: Task | None = None
    reason: str | None = None


@dataclass(slots=True)
class BackfillReport:
    """The result of a backfill; `runs` are the results of the tasks if it has waited for them."""

    title: str
    url: str
    bot: Bot
    is_dry_run: bool
    changes: list[BackfilledChange] = field(default_factory=list)
    runs: Sequence[Run] = ()
    estimate: TokenEstimate | None = None

    @property
    def sent_count(self) -> int:
        """The number of changes that have a task, in a dry run of those that would get one."""
        return sum(row.reason is None for row in self.changes)

    @property
    def reasons(self) -> Counter[str]:
        return Counter(row.reason for row in self.changes if row.reason)

    @property
    def is_settled(self) -> bool:
        return all(run.is_settled for run in self.runs)

    def as_text(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        verb = "would be sent" if self.is_dry_run else "sent"
        yield f"{one_line(self.title)}: {self.sent_count} of {quantity(len(self.changes), 'change')} {verb}"
        for reason, count in self.reasons.most_common():
            yield f"   skipped {count}: {reason}"
        if self.is_dry_run:
            yield self.estimate_line()
        yield from self.result_lines()
        if self.sent_count and not self.is_dry_run:
            yield f"   review  {dashboard_page(self.url, self.bot, 'review')}"

    def estimate_line(self) -> str:
        if self.estimate is None:
            return "   model   no estimate: the last tasks of this bot did not use a language model"
        tokens, model = self.estimate.tokens_per_task, one_line(self.estimate.model)
        total = f"{tokens * self.sent_count:,} tokens of {model}"
        tasks = quantity(self.estimate.tasks, "task")
        return f"   model   about {total}: the last {tasks} with it took {tokens:,} each"

    def result_lines(self) -> Iterator[str]:
        if not self.runs:
            return
        drafts = sum(run.pending_count for run in self.runs)
        places = sum(len(run.places) for run in self.runs)
        yield f"   found   {count_text(drafts, places) or 'nothing waits'}"
        for run, row in zip(self.runs, (row for row in self.changes if row.task), strict=True):
            if run.task and run.task.error:
                yield f"   failed  {one_line(f'{row.change.title}: {run.task.error.message}')}"
            elif not run.is_settled:
                yield f"   - {one_line(row.change.title)}: {count_text(run.pending_count, len(run.places))}"

    def as_json(self) -> str:
        tasks = {run.task.id: run.task.document for run in self.runs if run.task}
        document = {
            "bundle": self.title,
            "sent": self.sent_count,
            "skipped": dict(self.reasons),
            "tokens": self.estimate.tokens_per_task * self.sent_count if self.estimate else None,
            "changes": [change_document(row, tasks) for row in self.changes],
        }
        # A runner would execute these characters. They occur only in strings, which may contain escapes.
        return COMMAND.sub(r"\\u0023#", json.dumps(document))


def change_document(row: BackfilledChange, tasks: dict[str, dict[str, Any]]) -> dict[str, Any]:
    change, task = row.change, row.task
    return {
        "commit": change.commit,
        "kind": change.kind,
        "title": change.title,
        "url": change.url,
        "skipped": row.reason,
        "task": tasks.get(task.id, task.document) if task else None,
    }
