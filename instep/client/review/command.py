"""Runs `instep draft …` and `instep place …`: call the server, print its answer, return an exit code."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence

from instep.client.ci.client import Client
from instep.client.ci.command import FAILED
from instep.client.ci.credentials import read_server
from instep.client.ci.printing import print_text, say
from instep.client.ci.retries import Patience
from instep.client.ci.shapes import Shape
from instep.client.review import DismissalReason, OnConflict
from instep.client.review.queue import PlaceAct, Queue
from instep.client.review.report import as_places, as_table, as_text
from instep.platform.core import limits
from instep.platform.core.errors import AppError

Run = Callable[[Queue], None]


def run_review(environ: Mapping[str, str], bot: str | None, run: Run) -> int:
    """Run an operation on the bot's queue; return the exit code."""
    try:
        run(open_queue(environ, bot))
    except AppError as refusal:
        say(refusal.message)
        return FAILED
    return 0


def open_queue(environ: Mapping[str, str], bot: str | None) -> Queue:
    """The queue of a bot on the server that the environment names."""
    patience = Patience(limits.REVIEW_RETRY_SECONDS)
    client = Client(read_server(environ, patience), patience)
    return Queue(client, client.choose_bot(bot or None))


def list_drafts(queue: Queue, article: str | None, as_json: bool) -> None:
    page = queue.newest(article)
    print_answer(page, as_table(page), as_json)
    if page.has_more and not as_json:
        say(f"These are the newest {len(page.results)}; more are waiting.")


def show_draft(queue: Queue, draft_id: str, has_colours: bool, as_json: bool) -> None:
    draft = queue.read(draft_id)
    print_answer(draft, as_text(draft, has_colours), as_json)


def apply_draft(
    queue: Queue,
    draft_id: str,
    on_conflict: OnConflict,
    hunks: Sequence[int],
    at_release: bool,
    as_json: bool,
) -> None:
    applied = queue.apply(draft_id, on_conflict, hunks, at_release=at_release)
    for warning in applied.warnings:
        say(f"Warning: {warning}")
    outcome = "was approved for a release, for" if at_release else "was applied to"
    print_answer(applied, f"{applied.id} {outcome} the article {applied.article_id}.", as_json)


def dismiss_draft(
    queue: Queue, draft_id: str, reason: DismissalReason | None, comment: str | None, as_json: bool
) -> None:
    dismissed = queue.dismiss(draft_id, reason, comment)
    print_answer(dismissed, f"{dismissed.id} was dismissed.", as_json)


def reopen_draft(queue: Queue, draft_id: str, as_json: bool) -> None:
    reopened = queue.reopen(draft_id)
    print_answer(reopened, f"{reopened.id} is waiting for review again.", as_json)


def list_places(queue: Queue, article: str | None, as_json: bool) -> None:
    page = queue.places(article)
    print_answer(page, as_places(page), as_json)
    if page.has_more and not as_json:
        say(f"These are the newest {len(page.results)}; more are open.")


def settle_place(
    queue: Queue,
    place_id: str,
    act: PlaceAct,
    as_json: bool,
    reason: DismissalReason | None = None,
    comment: str | None = None,
) -> None:
    settled = queue.settle_place(place_id, act, reason, comment)
    print_answer(settled, f"{settled.id} is {settled.status}.", as_json)


def print_answer(answer: Shape, text: str, as_json: bool) -> None:
    print_text(json.dumps(answer.document) if as_json else text)


def shows_colours(environ: Mapping[str, str]) -> bool:
    """True if standard output is a terminal and colors are not disabled (no-color.org)."""
    return sys.stdout.isatty() and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
