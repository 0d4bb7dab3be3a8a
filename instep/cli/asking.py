"""`instep ask` and `instep golden …`: what the help center answers, and what it must."""

import os
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from instep.cli.admin_session import in_workspace, operator_ctx
from instep.cli.helping import Area, command
from instep.cli.options import AsJson, InBot, InWorkspace
from instep.cli.output import say, say_list
from instep.core.errors import InvalidRequest

if TYPE_CHECKING:
    from instep.answers.golden import GoldenRunOut
    from instep.answers.schemas import AnswerPreviewOut
    from instep.core.database import Tx
    from instep.identity.schemas import Ctx

Result = TypeVar("Result")
# `instep ask` of a question that the articles do not answer.
DECLINED = 6

golden_app = typer.Typer(cls=Area, no_args_is_help=True, help="Questions that certain articles must answer.")


def ask(
    question: Annotated[str | None, typer.Argument(help="What a visitor would ask.")] = None,
    golden: Annotated[
        bool, typer.Option("--golden", help="Ask all golden questions; exit code 1 if one lost its article.")
    ] = False,
    locale: Annotated[str | None, typer.Option(help="The language to answer in.")] = None,
    bot: InBot = None,
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Ask the help center as a visitor would, and print the answer with its sources. Nothing is kept.

    It ends with exit code 6 if the articles do not hold the answer.
    """
    if golden == (question is not None):
        raise InvalidRequest("Give either a question or --golden.")
    if question is None:
        run_golden(bot, workspace, as_json)
        return
    from instep.answers.ask import QuestionRequest, answer_from_articles
    from instep.answers.schemas import AnswerPreviewOut
    from instep.core.locales import valid_locale

    try:
        asked = QuestionRequest(question, valid_locale(locale) if locale is not None else None)
    except ValueError as error:
        raise InvalidRequest(f"--locale: {error}") from None
    name_served_url()
    told = AnswerPreviewOut.of(in_bot(workspace, bot, lambda ctx: answer_from_articles(ctx, asked)))
    say(told, as_text(told), as_json)
    if not told.answered:
        raise typer.Exit(DECLINED)


def name_served_url() -> None:
    """Let links lead to the server that is running, whichever port it was given."""
    from instep.core.config import settings
    from instep.core.served_url import served_url

    os.environ["INSTEP_SITE_URL"] = served_url(settings(), os.environ)
    settings.cache_clear()


def run_golden(bot: str | None, workspace: str | None, as_json: bool) -> None:
    from instep.answers.golden import ask_golden_questions, golden_run_out

    run = golden_run_out(in_bot(workspace, bot, ask_golden_questions))
    say(run, as_report(run), as_json)
    if not run.kept:
        raise typer.Exit(1)


@command(golden_app, "add", 'instep golden add "How do I export my invoices?" --article export-invoices')
def add_golden(
    question: str,
    article: Annotated[str, typer.Option(metavar="ID", help="The article that must answer it; or its slug.")],
    bot: InBot = None,
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Keep a question that an article must answer."""
    from instep.golden.actions import add_golden_question
    from instep.golden.schemas import GoldenQuestionOut

    added = in_bot(workspace, bot, lambda ctx: add_golden_question(ctx, question, article))
    shown = GoldenQuestionOut.of_row(added)
    say(shown, f"{shown.id}  “{shown.article_title}” must answer it.", as_json)


@command(golden_app, "list", "instep golden list")
def show_golden(bot: InBot = None, workspace: InWorkspace = None, as_json: AsJson = False) -> None:
    """List the questions, each with its article."""
    from instep.golden.actions import list_golden_questions
    from instep.golden.schemas import GoldenQuestionOut

    rows = [GoldenQuestionOut.of_row(row) for row in in_bot(workspace, bot, list_golden_questions)]
    say_list(rows, ("id", "article_id", "article_title", "question"), as_json)


@command(golden_app, "remove", "instep golden remove gold_…")
def remove_golden(
    golden_id: Annotated[str, typer.Argument(metavar="ID")],
    bot: InBot = None,
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Keep a question no longer."""
    from instep.golden.actions import remove_golden_question
    from instep.golden.schemas import GoldenQuestionOut

    removed = in_bot(workspace, bot, lambda ctx: remove_golden_question(ctx, golden_id))
    say(GoldenQuestionOut.of_row(removed), f"{golden_id} is removed.", as_json)


def in_bot(workspace: str | None, bot: str | None, work: "Callable[[Ctx], Awaitable[Result]]") -> Result:
    """Work on the bot that is named, or on the only one."""
    from instep.workspaces.queries import list_bots

    async def run(tx: "Tx", own: str) -> Result:
        if bot is not None:
            return await work(await operator_ctx(tx, own, bot))
        bots = await list_bots(tx, own)
        if len(bots) != 1:
            raise InvalidRequest("Name the bot with --bot: `instep bot list` shows them.")
        return await work(await operator_ctx(tx, own, str(bots[0].id)))

    return in_workspace(workspace, run)


def as_text(told: "AnswerPreviewOut") -> str:
    sources = [f"[{source.n}] {source.title}: {source.url}" for source in told.sources]
    return "\n".join([told.answer, "", *sources]) if sources else told.answer


def as_report(run: "GoldenRunOut") -> str:
    lines = []
    for one in run.results:
        lines.append(f"{'kept' if one.kept else 'LOST'}  {one.question}")
        if one.fault:
            lines.append(f"      Must be answered from “{one.article_title or 'an article'}”. {one.fault}")
    kept = sum(one.kept for one in run.results)
    return "\n".join(
        [*lines, f"{kept} of {len(run.results)} golden questions are answered from their articles."]
    )
