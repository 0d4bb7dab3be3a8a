"""Runs `instep release`: find shipped changes, and apply the drafts that were approved for them."""

from collections.abc import Mapping
from pathlib import Path

from instep.client.ci.command import FAILED
from instep.client.ci.escaping import without_commands
from instep.client.ci.options import ReleaseOptions
from instep.client.ci.printing import say
from instep.client.ci.shapes import parse_shape
from instep.client.ci.shipped import Shipment, read_shipment
from instep.client.review.command import open_queue, print_answer
from instep.client.review.queue import Queue
from instep.client.review.shapes import ReleasedDrafts
from instep.platform.core.errors import AppError, InvalidRequest

NOTHING_RELEASED = parse_shape(ReleasedDrafts, {"applied": [], "conflicts": [], "waiting": []})


def run_release(options: ReleaseOptions, environ: Mapping[str, str]) -> int:
    """Release shipped changes and return the exit code; drafts that can't be applied do not fail it."""
    try:
        if not options.urls and not options.revisions:
            raise InvalidRequest("Specify the shipped changes with --range, --url or both.")
        shipment = read_shipment(Path.cwd(), options.revisions, environ) if options.revisions else None
        queue = open_queue(environ, options.bot)
        urls = [*options.urls, *(shipped_urls(queue, shipment) if shipment else ())]
        released = queue.release(list(dict.fromkeys(urls))) if urls else NOTHING_RELEASED
    except AppError as refusal:
        say(refusal.message)
        return FAILED
    print_answer(released, as_lines(released), options.as_json)
    return 0


def shipped_urls(queue: Queue, shipment: Shipment) -> list[str]:
    """The sources of the pending drafts that have shipped."""
    return [url for url in queue.source_urls() if shipment.has(url)]


def as_lines(released: ReleasedDrafts) -> str:
    groups = (
        (released.applied, "was applied to the article {}."),
        (
            released.conflicts,
            "is waiting for review again: the same lines of the article {} have changed in the meantime.",
        ),
        (released.waiting, "is still waiting: its change to the article {} has not been approved."),
    )
    lines = [
        without_commands(f"{draft.id} {sentence.format(draft.article_id)}")
        for drafts, sentence in groups
        for draft in drafts
    ]
    return "\n".join(lines) or "No drafts are waiting for the shipped changes."
