"""`instep draft …`: the review queue of a remote server."""

import os
from typing import TYPE_CHECKING, Annotated

import typer

from instep.cli.helping import Area, command
from instep.cli.options import AsJson
from instep.review import OnConflict

if TYPE_CHECKING:
    from instep.review.command import Run

app = typer.Typer(
    cls=Area,
    no_args_is_help=True,
    help="Review drafts at INSTEP_URL, with INSTEP_API_KEY. Exit code 1: refused; 2: a wrong option.",
)
DraftId = Annotated[str, typer.Argument(metavar="DRAFT", help="Its id, as `instep draft list` shows it.")]
OfBot = Annotated[
    str | None,
    typer.Option(
        "--bot", envvar="INSTEP_BOT", metavar="BOT", help="Its id or slug, for a key that covers several."
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
    from instep.review import command as review

    run_with(bot, lambda queue: review.list_drafts(queue, article, as_json))


@command(app, "show", "instep draft show edit_06gzypdrkkjqmey8dp43d9mrek")
def show_draft(draft: DraftId, bot: OfBot = None, as_json: AsJson = False) -> None:
    """Show a draft: why it is proposed, what to check, and what applying it changes of the live article."""
    from instep.review import command as review

    has_colours = review.shows_colours(os.environ)
    run_with(bot, lambda queue: review.show_draft(queue, draft, has_colours, as_json))


@command(app, "apply", "instep draft apply edit_06gzypdrkkjqmey8dp43d9mrek")
def apply_draft(
    draft: DraftId,
    on_conflict: Annotated[
        OnConflict,
        typer.Option(
            help="If the article has changed since: merge both changes, overwrite the article with the"
            " proposal, or refuse."
        ),
    ] = "merge",
    bot: OfBot = None,
    as_json: AsJson = False,
) -> None:
    """Apply a draft: the text of a live article changes at once; a new article goes live."""
    from instep.review import command as review

    run_with(bot, lambda queue: review.apply_draft(queue, draft, on_conflict, as_json))


@command(app, "dismiss", "instep draft dismiss edit_06gzypdrkkjqmey8dp43d9mrek")
def dismiss_draft(draft: DraftId, bot: OfBot = None, as_json: AsJson = False) -> None:
    """Dismiss a draft; the article of an edit stays unchanged."""
    from instep.review import command as review

    run_with(bot, lambda queue: review.dismiss_draft(queue, draft, as_json))


def run_with(bot: str | None, run: "Run") -> None:
    from instep.review.command import run_review

    raise typer.Exit(run_review(os.environ, bot, run))
