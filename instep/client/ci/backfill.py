"""`instep change` over the history: each merged change is a task of its own, oldest first, in one bundle."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from instep.client.ci.backfill_report import BackfilledChange, BackfillReport
from instep.client.ci.checkout import CodeChange, resolve, task_labels
from instep.client.ci.client import Client, LimitReached, SentBefore
from instep.client.ci.code_of_today import CodeOfToday, file_changes, open_code
from instep.client.ci.command import FAILED, TIMED_OUT, WOULD_EDIT, send_change, with_results
from instep.client.ci.credentials import read_server
from instep.client.ci.diff import Selection, select
from instep.client.ci.git import open_checkout
from instep.client.ci.merged_changes import HistoryRange, MergedChange, list_merged
from instep.client.ci.options import ChangeOptions
from instep.client.ci.printing import print_text, say
from instep.client.ci.report import Run
from instep.client.ci.shapes import Bot, Task
from instep.client.ci.shipped import find_home
from instep.platform.core import limits
from instep.platform.core.errors import AppError, InvalidRequest

INTERRUPTED = 130
# The history itself gives these, for each change.
OF_ONE_CHANGE = ("base", "title", "url", "kind", "comment")
ONLY_LEFT_OUT = "only lock files, or generated, vendored or binary files"
ONLY_DOCS = "only documentation or tests"
TAKEN_BACK = "later changes replaced all of it"
NO_FILE = "no changed file"
SENT_BEFORE = "sent before, from an earlier version of the code"


@dataclass(frozen=True, slots=True)
class Backfill:
    """The changes of one checkout on their way to a bot, under the title of their bundle."""

    title: str
    client: Client
    bot: Bot
    code: CodeOfToday
    paths: Sequence[str]
    labels: Sequence[str] = ()
    branch: str | None = None

    def process(self, change: MergedChange, position: str | None) -> BackfilledChange:
        """Send a change unless there is a reason not to; without a position in a dry run, none is sent."""
        base = self.code.without(change.base, change.commit, self.paths)
        selection = select(self.code.git, base, self.code.head, self.paths)
        reason = self.reason_to_skip(change, selection)
        if reason or position is None:
            return BackfilledChange(change, reason=reason)
        return self.send(change, selection, position)

    def reason_to_skip(self, change: MergedChange, selection: Selection) -> str | None:
        if selection.files:
            return ONLY_DOCS if selection.kinds <= {"docs", "test"} else None
        if selection.left_out:
            return ONLY_LEFT_OUT
        files = file_changes(self.code.git, change.base, change.commit, self.paths)
        return TAKEN_BACK if files else NO_FILE

    def send(self, change: MergedChange, selection: Selection, position: str) -> BackfilledChange:
        """Send a change as soon as the server accepts a task."""
        code_change = CodeChange(
            change.kind,
            change.title,
            change.url,
            change.description,
            change.base,
            change.commit,
            selection,
            labels=self.labels,
            branch=self.branch,
        )
        while True:
            try:
                created = self.client.create_task(self.bot, code_change, self.title)
            except LimitReached as limit:
                self.wait(limit.seconds or limits.API_RETRY_SECONDS, position)
            except SentBefore:
                return BackfilledChange(change, reason=SENT_BEFORE)
            else:
                break
        origin = ", which an earlier run created" if created.is_replay else ""
        say(f"{position}: “{change.title}” is {created.task.id}{origin}.")
        return BackfilledChange(change, created.task)

    def wait(self, seconds: float, position: str) -> None:
        clock = time.strftime("%H:%M", time.localtime(time.time() + seconds))
        say(f"{position}: the hourly task limit is used up. The next change is sent at {clock}.")
        self.client.patience.sleep(seconds)

    def results(self, tasks: Sequence[Task], ends: float) -> Iterator[Run]:
        """The result of each task after it has ended, or after the clock has reached `ends`."""
        for task in tasks:
            ended_task = self.client.wait_for(task, ends)
            yield with_results(self.client, self.bot, ended_task, Run(self.client.url, ()))


def run_change(options: ChangeOptions, environ: Mapping[str, str]) -> int:
    """Send the chosen changes, or without a choice the one of the checkout; the exit code."""
    if options.choices or options.dry_run:
        return send_backfill(options, environ)
    return send_change(options, environ)


def history_range(options: ChangeOptions) -> HistoryRange:
    """The part of the history; raises `InvalidRequest`."""
    if len(options.choices) != 1:
        raise InvalidRequest("Choose the changes with one of --since, --last and --range.")
    if others := [f"--{name}" for name in OF_ONE_CHANGE if getattr(options, name)]:
        raise InvalidRequest(f"{others[0]} is for a single change: leave it out.")
    return HistoryRange(options.since, options.last, options.revisions)


def send_backfill(options: ChangeOptions, environ: Mapping[str, str]) -> int:
    """Send the merged changes of the history as tasks, and return the exit code."""
    try:
        report = run_backfill(options, environ)
    except AppError as refusal:
        say(refusal.message)
        return FAILED
    except KeyboardInterrupt:
        say("Stopped. Run the command again to continue: no change is sent twice.")
        return INTERRUPTED
    print_text(report.as_json() if options.as_json else report.as_text())
    return exit_code(report, options)


def run_backfill(options: ChangeOptions, environ: Mapping[str, str]) -> BackfillReport:
    history, git, client = history_range(options), open_checkout(Path.cwd()), Client(read_server(environ))
    head = resolve(git, options.head or "HEAD")
    changes = list_merged(git, history, head, find_home(git, environ))
    bot = client.choose_bot(options.bot or None)
    report = BackfillReport(f"Backfill of {history.words}", client.url, bot, is_dry_run=options.dry_run)
    say(f"{len(changes)} changes up to {head[:12]} for the bot “{bot.name}”.")
    with open_code(git, head) as code:
        labels = task_labels(options.labels)
        backfill = Backfill(report.title, client, bot, code, options.paths, labels, options.branch)
        for number, change in enumerate(changes, 1):
            position = None if options.dry_run else f"{number} of {len(changes)}"
            report.changes.append(backfill.process(change, position))
    if options.dry_run:
        report.estimate = client.estimate_tokens(bot)
    elif options.waits:
        tasks = [row.task for row in report.changes if row.task]
        report.runs = list(backfill.results(tasks, time.monotonic() + options.timeout))
    return report


def exit_code(report: BackfillReport, options: ChangeOptions) -> int:
    tasks = [run.task for run in report.runs if run.task]
    if any(task.error for task in tasks):
        return FAILED
    if not all(task.has_ended for task in tasks):
        say(f"Some tasks have not finished within {options.timeout} seconds. They continue.")
        return TIMED_OUT
    return WOULD_EDIT if options.check and not report.is_settled else 0
