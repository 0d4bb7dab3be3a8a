"""`instep translate`, for the translations that a help center lacks."""

import os
from typing import Annotated

import typer

from instep.cli.options import AsJson


def translate(
    locale: Annotated[str, typer.Argument(metavar="LOCALE", help="The language, such as de.")],
    article: Annotated[
        str | None, typer.Option(metavar="ARTICLE", help="Only this article, by its id or slug.")
    ] = None,
    collection: Annotated[
        str | None,
        typer.Option(metavar="COLLECTION", help="Only articles of this collection, by its id or slug."),
    ] = None,
    is_dry: Annotated[bool, typer.Option("--dry-run", help="Only count, and estimate the cost.")] = False,
    bot: Annotated[
        str | None,
        typer.Option(
            envvar="INSTEP_BOT", metavar="BOT", help="The bot's id or slug, if the key covers several bots."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Have articles at INSTEP_URL translated as drafts, with INSTEP_API_KEY.

    The model writes them in the background, within its budgets. Translated articles are skipped.
    """
    from instep.client.review.translating import TranslateOptions, run_translate

    options = TranslateOptions(locale, article, collection, is_dry, bot, as_json)
    raise typer.Exit(run_translate(options, os.environ))
