"""`instep draft …`: the review queue of a remote server."""

import os
from typing import Annotated

import typer

from instep.cli.helping import Area, command
from instep.cli.options import AsJson
from instep.client.review import DismissalReason, OnConflict
from instep.client.review import command as review
from instep.client.review.command import Run, run_review

app = typer.Typer(cls=Area)
DraftId = Annotated[
    str, typer.Argument(metavar="DRAFT", help="The draft's id, as `instep draft list` shows it.")
]
OfBot = Annotated[
    str | None,
    typer.Option(
        "--bot",
        envvar="INSTEP_BOT",
        metavar="BOT",
        help="The bot's id or slug, if the key covers several bots.",
    ),
]


@command(app, "list", "instep draft list --article upload-limits")
def list_drafts(
    article: Annotated[
        str | None, typer.Option(metavar="ARTICLE", help="Only drafts of this article, by its id or slug.")
    ] = None,
    bot: OfBot = None,
    as_json: AsJson = False,
) -> None:
    """List the drafts that await review, newest first."""
    run_with(bot, lambda queue: review.list_drafts(queue, article, as_json))


@command(app, "show", "instep draft show edit_06gzypdrkkjqmey8dp43d9mrek")
def show_draft(draft: DraftId, bot: OfBot = None, as_json: AsJson = False) -> None:
    """Show a draft: its reason, points to check, and what applying it changes in the live article."""
    has_colours = review.shows_colours(os.environ)
    run_with(bot, lambda queue: review.show_draft(queue, draft, has_colours, as_json))


@command(
    app,
    "apply",
    "instep draft apply edit_06gzypdrkkjqmey8dp43d9mrek",
    "instep draft apply edit_06gzypdrkkjqmey8dp43d9mrek --hunks 1,3 --release",
)
def apply_draft(
    draft: DraftId,
    on_conflict: Annotated[
        OnConflict,
        typer.Option(
            help="If the article has changed since: merge both changes, overwrite the article with the"
            " proposal, or refuse."
        ),
    ] = "merge",
    hunks: Annotated[
        str | None,
        typer.Option(metavar="N,N", help="Apply only these hunks of the diff, numbered from 1."),
    ] = None,
    at_release: Annotated[
        bool,
        typer.Option("--release", help="Only approve it: `instep release` applies it when the change ships."),
    ] = False,
    bot: OfBot = None,
    as_json: AsJson = False,
) -> None:
    """Apply a draft: a live article gets the new text immediately; a new article goes live."""
    numbers = hunk_numbers(hunks) if hunks is not None else ()
    run_with(bot, lambda queue: review.apply_draft(queue, draft, on_conflict, numbers, at_release, as_json))


@command(
    app,
    "dismiss",
    "instep draft dismiss edit_06gzypdrkkjqmey8dp43d9mrek --reason later",
    'instep draft dismiss edit_06gzypdrkkjqmey8dp43d9mrek --reason wrong_text --comment "An internal name."',
)
def dismiss_draft(
    draft: DraftId,
    reason: Annotated[
        DismissalReason | None,
        typer.Option(help="The reason. With the first three, no task proposes the same again."),
    ] = None,
    comment: Annotated[str | None, typer.Option(metavar="TEXT", help="A comment on the reason.")] = None,
    bot: OfBot = None,
    as_json: AsJson = False,
) -> None:
    """Dismiss a draft; the article of an edit stays unchanged."""
    run_with(bot, lambda queue: review.dismiss_draft(queue, draft, reason, comment, as_json))


@command(app, "reopen", "instep draft reopen edit_06gzypdrkkjqmey8dp43d9mrek")
def reopen_draft(draft: DraftId, bot: OfBot = None, as_json: AsJson = False) -> None:
    """Undo applying or dismissing a draft; the article gets its previous text back."""
    run_with(bot, lambda queue: review.reopen_draft(queue, draft, as_json))


def hunk_numbers(text: str) -> list[int]:
    """The numbers in a text such as `1,3`."""
    numbers = [part.strip() for part in text.split(",")]
    if not all(number.isascii() and number.isdigit() and len(number) < 10 for number in numbers):
        raise typer.BadParameter("name hunks by their numbers, such as 1,3", param_hint="--hunks")
    return [int(number) for number in numbers]


def run_with(bot: str | None, run: Run) -> None:
    raise typer.Exit(run_review(os.environ, bot, run))
