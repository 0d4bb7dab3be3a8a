"""Run `instep change`: read the checkout, send its change, wait, report."""

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from instep.client.ci.change_context import read_change_context
from instep.client.ci.checkout import CodeChange, read_change
from instep.client.ci.client import Client, LimitReached, ResourceGone
from instep.client.ci.comment import write_comment
from instep.client.ci.credentials import read_server
from instep.client.ci.environment import CiContext, read_context
from instep.client.ci.git import open_checkout
from instep.client.ci.options import ChangeOptions
from instep.client.ci.printing import print_text, say
from instep.client.ci.report import Run, as_json, as_markdown, as_text, left_out_lines
from instep.client.ci.shapes import Bot, Draft, Task
from instep.platform.core import limits
from instep.platform.core.errors import AppError

FAILED = 1
WOULD_EDIT = 3
TIMED_OUT = 4
LIMIT_REACHED = 5


def send_change(options: ChangeOptions, environ: Mapping[str, str]) -> int:
    """Send the change of the checkout as a task, and return the exit code."""
    try:
        run = run_with(options, environ)
    except LimitReached as refusal:
        say(refusal.message)
        return LIMIT_REACHED
    except AppError as refusal:
        say(refusal.message)
        return FAILED
    print_text(as_json(run) if options.as_json else as_text(run))
    write_summary(run, environ.get("GITHUB_STEP_SUMMARY"))
    if options.comment and run.bot is not None:
        write_comment(run, run.bot, environ)
    return exit_code(run, options)


def run_with(options: ChangeOptions, environ: Mapping[str, str]) -> Run:
    server = read_server(environ)
    change = read_change(Path.cwd(), with_options(options, read_context(environ)), options.paths)
    if change.note:
        say(change.note)
    for line in left_out_lines(change.selection.left_out):
        say(line)
    client = Client(server)
    run = Run(server.url, change.selection.left_out, paths=options.paths)
    if change.selection.files:
        change = replace(change, context=read_change_context(open_checkout(Path.cwd()), change, environ))
        return send(client, change, run, options)
    # An earlier comment of the bot is updated even if there is nothing left to send.
    return replace(run, bot=client.choose_bot(options.bot or None)) if options.comment else run


def with_options(options: ChangeOptions, context: CiContext) -> CiContext:
    """The context of the CI with the given options instead of its values."""
    names = ("base", "head", "title", "url", "kind", "labels", "branch")
    values = {name: getattr(options, name) for name in names}
    return replace(context, **{name: value for name, value in values.items() if value})


def send(client: Client, change: CodeChange, run: Run, options: ChangeOptions) -> Run:
    start = time.monotonic()
    bot = client.choose_bot(options.bot or None)
    say(status_line(change, bot))
    creation = client.create_task(bot, change)
    task = creation.task
    origin = ", which an earlier run created" if creation.is_replay else ""
    say(f"The task is {task.id}{origin}.")
    if options.waits:
        task = client.wait_for(task, start + options.timeout)
    return with_results(client, bot, task, run)


def with_results(client: Client, bot: Bot, task: Task, run: Run) -> Run:
    """The run with a task, and what waits of it."""
    drafts = [get_draft(client, bot, draft.id) for draft in task.drafts[: limits.MAX_REPORTED_DRAFTS]]
    places = client.list_places(bot, task) if task.places else []
    return replace(run, bot=bot, task=task, drafts=[draft for draft in drafts if draft], places=places)


def status_line(change: CodeChange, bot: Bot) -> str:
    files = f"{change.selection.files} file{'s' if change.selection.files != 1 else ''}"
    commits = f"{change.base[:12]}...{change.head[:12]}"
    return f"Sending {files} of {commits} as “{change.title}” to the bot “{bot.name}”."


def get_draft(client: Client, bot: Bot, draft_id: str) -> Draft | None:
    """The draft; None when it no longer exists, because a later task may have replaced it."""
    try:
        return client.get_draft(bot, draft_id)
    except ResourceGone as refusal:
        say(refusal.message)
        return None


def write_summary(run: Run, path: str | None) -> None:
    """Append the report to the summary page of a job in GitHub Actions."""
    if not path:
        return
    try:
        with Path(path).open("a", encoding="utf-8") as page:
            page.write(as_markdown(run))
    except OSError as error:
        say(f"GITHUB_STEP_SUMMARY can't be written: {error}.")


def exit_code(run: Run, options: ChangeOptions) -> int:
    if run.task is None:
        return 0
    if run.task.error:
        say(f"The task failed: {run.task.error.message}")
        return FAILED
    if options.waits and not run.task.has_ended:
        say(
            f"The task has not finished within {options.timeout} seconds. It continues: run this again later."
        )
        return TIMED_OUT
    return WOULD_EDIT if options.check and not run.is_settled else 0
