"""`instep ask` and `instep golden …`: the answers of the help center, and the answers that it must give."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Concatenate

import typer

from instep.cli.admin_session import Arguments, Result, in_bot
from instep.cli.helping import Area, command
from instep.cli.options import AsJson, InBot, InWorkspace
from instep.cli.output import say, say_list
from instep.platform.core.errors import InvalidRequest, InvalidValue

if TYPE_CHECKING:
    from instep.platform.identity.schemas import Ctx
    from instep.visitors.answers.golden import GoldenRunOut
    from instep.visitors.answers.schemas import AnswerPreviewOut

# The exit code of `instep ask` when the articles do not answer the question.
NOT_ANSWERED = 6

golden_app = typer.Typer(cls=Area, no_args_is_help=True, help="Questions that certain articles must answer.")


def ask(
    question: Annotated[str | None, typer.Argument(help="The question, as a visitor would ask it.")] = None,
    golden: Annotated[
        bool,
        typer.Option(
            "--golden",
            help="Ask all golden questions; exit with code 1 if an article does not answer its question.",
        ),
    ] = False,
    locale: Annotated[str | None, typer.Option(help="The language to answer in.")] = None,
    bot: InBot = None,
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Ask the help center as a visitor would, and print the answer with its sources. Nothing is stored.

    Works on the installation on this machine. The exit code is 6 if the articles do not contain the answer.
    """
    if golden == (question is not None):
        raise InvalidRequest("Give either a question or --golden.")
    if question is None:
        run_golden(bot, workspace, as_json)
        return
    from instep.platform.core.locales import valid_locale
    from instep.visitors.answers.ask import QuestionRequest, answer_for_visitors
    from instep.visitors.answers.schemas import AnswerPreviewOut

    try:
        code = valid_locale(locale) if locale is not None else None
    except ValueError as error:
        raise InvalidRequest(f"--locale: {error}") from None
    request = QuestionRequest(valid_question(question), code)
    preview = AnswerPreviewOut.of(asking_in_bot(workspace, bot, answer_for_visitors, request))
    say(preview, as_text(preview), as_json)
    if not preview.answered:
        raise typer.Exit(NOT_ANSWERED)


def asking_in_bot(
    workspace: str | None,
    bot: str | None,
    work: "Callable[Concatenate[Ctx, Arguments], Awaitable[Result]]",
    *arguments: Arguments.args,
    **options: Arguments.kwargs,
) -> Result:
    """Run the work with the embedding models of the servers, so that it gets the answers of visitors."""
    from instep.platform.core.config import settings
    from instep.platform.llm.factory import open_embedders
    from instep.search.semantic.query_embedder import query_embedder

    async def run(ctx: "Ctx") -> Result:
        async with open_embedders(settings()) as embedders:
            query_embedder.use(embedders)
            if embedder := query_embedder.of(ctx):
                await query_embedder.load(embedder)
            return await work(ctx, *arguments, **options)

    return in_bot(workspace, bot, run)


def valid_question(text: str) -> str:
    """The question as the API accepts it; raises its refusal."""
    from pydantic import TypeAdapter, ValidationError

    from instep.platform.web.errors import first_fault
    from instep.visitors.answers.schemas import QuestionText

    try:
        return TypeAdapter[str](QuestionText).validate_python(text)
    except ValidationError as error:
        raise InvalidValue("question", first_fault(error)[1]) from None


def run_golden(bot: str | None, workspace: str | None, as_json: bool) -> None:
    from instep.visitors.answers.golden import ask_golden_questions, golden_run_out

    run = golden_run_out(asking_in_bot(workspace, bot, ask_golden_questions))
    say(run, as_report(run), as_json)
    if not run.holds:
        raise typer.Exit(1)


@command(golden_app, "add", 'instep golden add "How do I export my invoices?" --article export-invoices')
def add_golden(
    question: str,
    article: Annotated[
        str, typer.Option(metavar="ID", help="The id or slug of the article that must answer it.")
    ],
    section: Annotated[
        str | None, typer.Option(metavar="HEADING", help="The heading of the section that must answer it.")
    ] = None,
    says: Annotated[
        str | None, typer.Option(metavar="WORDS", help="Words that the answer must contain.")
    ] = None,
    bot: InBot = None,
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Add a question that an article must answer."""
    from instep.content.golden.actions import add_golden_question
    from instep.content.golden.schemas import GoldenQuestionOut

    row = in_bot(workspace, bot, add_golden_question, question, article, section, says)
    out = GoldenQuestionOut.of_row(row)
    say(out, f"{out.id}  “{out.article_title}” must answer this question.", as_json)


@command(golden_app, "list", "instep golden list")
def show_golden(bot: InBot = None, workspace: InWorkspace = None, as_json: AsJson = False) -> None:
    """List the questions, each with its article."""
    from instep.content.golden.actions import list_golden_questions
    from instep.content.golden.schemas import GoldenQuestionOut

    rows = [GoldenQuestionOut.of_row(row) for row in in_bot(workspace, bot, list_golden_questions)]
    columns = ("id", "article_id", "article_title", "section", "says", "question")
    say_list(rows, columns, as_json, "instep golden add QUESTION --article SLUG")


@command(golden_app, "remove", "instep golden remove gold_…")
def remove_golden(
    golden_id: Annotated[str, typer.Argument(metavar="ID")],
    bot: InBot = None,
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Remove a question."""
    from instep.content.golden.actions import remove_golden_question
    from instep.content.golden.schemas import GoldenQuestionOut

    row = in_bot(workspace, bot, remove_golden_question, golden_id)
    say(GoldenQuestionOut.of_row(row), f"{golden_id} was removed.", as_json)


def as_text(preview: "AnswerPreviewOut") -> str:
    sources = [f"[{source.n}] {source.title}: {source.url}" for source in preview.sources]
    return "\n".join([preview.answer, "", *sources]) if sources else preview.answer


def as_report(run: "GoldenRunOut") -> str:
    lines = []
    for result in run.results:
        lines.append(f"{'kept' if result.holds else 'LOST'}  {result.question}")
        if result.fault:
            article = result.article_title or "an article"
            lines.append(f"      Must be answered from “{article}”. {result.fault}")
    kept_count = sum(result.holds for result in run.results)
    return "\n".join(
        [*lines, f"{kept_count} of {len(run.results)} golden questions are answered from their articles."]
    )
