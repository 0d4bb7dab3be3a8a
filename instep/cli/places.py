"""`instep place …`: where articles of a remote server need text."""

from typing import Annotated

import typer

from instep.cli.drafts import OfBot, run_with
from instep.cli.helping import Area, command
from instep.cli.options import AsJson
from instep.client.review import DismissalReason
from instep.client.review import command as review

app = typer.Typer(cls=Area)
PlaceId = Annotated[
    str, typer.Argument(metavar="PLACE", help="The place's id, as `instep place list` shows it.")
]


@command(app, "list", "instep place list --article upload-limits")
def list_places(
    article: Annotated[
        str | None, typer.Option(metavar="ARTICLE", help="Only places of this article, by its id or slug.")
    ] = None,
    bot: OfBot = None,
    as_json: AsJson = False,
) -> None:
    """List where articles need text that a code change does not provide, newest first."""
    run_with(bot, lambda queue: review.list_places(queue, article, as_json))


@command(app, "resolve", "instep place resolve plc_06h24hypq13831t72kh3vhfh0d")
def resolve_place(place: PlaceId, bot: OfBot = None, as_json: AsJson = False) -> None:
    """Mark a place as written: the article now has the text, or already had it."""
    run_with(bot, lambda queue: review.settle_place(queue, place, "resolve", as_json))


@command(app, "dismiss", "instep place dismiss plc_06h24hypq13831t72kh3vhfh0d --reason not_needed")
def dismiss_place(
    place: PlaceId,
    reason: Annotated[
        DismissalReason | None,
        typer.Option(help="The reason. With the first three, no task asks for the same text again."),
    ] = None,
    comment: Annotated[str | None, typer.Option(metavar="TEXT", help="A comment on the reason.")] = None,
    bot: OfBot = None,
    as_json: AsJson = False,
) -> None:
    """Mark a place as not needed."""
    run_with(bot, lambda queue: review.settle_place(queue, place, "dismiss", as_json, reason, comment))


@command(app, "reopen", "instep place reopen plc_06h24hypq13831t72kh3vhfh0d")
def reopen_place(place: PlaceId, bot: OfBot = None, as_json: AsJson = False) -> None:
    """Undo resolving or dismissing a place."""
    run_with(bot, lambda queue: review.settle_place(queue, place, "reopen", as_json))
