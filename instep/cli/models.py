"""`instep model …`."""

import sys
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Annotated, Any

import typer

from instep.accounts.language_model import actions
from instep.accounts.language_model.actions import test_model
from instep.accounts.language_model.choosing import LanguageModels
from instep.accounts.language_model.schemas import FIELDS, LanguageModelOut, ModelFields, ModelTestOut
from instep.cli.admin_session import in_bot, with_bot
from instep.cli.helping import Area, command
from instep.cli.options import AsJson, InBot, InWorkspace
from instep.cli.output import say, say_json_list
from instep.platform.core.clock import utc_now
from instep.platform.core.config import settings
from instep.platform.core.database import Database
from instep.platform.core.outbound.client import OutboundClient
from instep.platform.identity.schemas import OPERATOR, Bot, Ctx
from instep.platform.llm.factory import open_model

app = typer.Typer(cls=Area)


@command(app, "show", "instep model show", "instep model show --bot acme-help --json")
def show(bot: InBot = None, workspace: InWorkspace = None, as_json: AsJson = False) -> None:
    """Show a bot's language model, and its usage today."""
    model = in_bot(workspace, bot, actions.show_model)
    say(model, sentence_of(model), as_json)


@command(
    app,
    "set",
    "instep model set --provider openai --model gpt-5-mini --key - < key.txt",
    "instep model set --provider openai --url http://ollama.internal:11434/v1 --model qwen3:8b",
    "instep model set --tokens-per-day 500000",
)
def set_model(
    provider: Annotated[
        str | None, typer.Option(help="The API format of its provider: openai or anthropic.")
    ] = None,
    model: Annotated[str | None, typer.Option(help="The model's name, as the provider spells it.")] = None,
    base_url: Annotated[
        str | None, typer.Option("--url", help="The provider's API address, if it is not the default one.")
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(help="The key; `-` reads it from standard input, so that process lists don't show it."),
    ] = None,
    reader_model: Annotated[
        str | None, typer.Option("--reader", help="A cheaper model for the first reading.")
    ] = None,
    purposes: Annotated[
        list[str] | None,
        typer.Option(
            "--for", help="A purpose: drafts, new_articles, answers, editor or translations; repeatable."
        ),
    ] = None,
    tokens_per_day: Annotated[int | None, typer.Option(help="The token limit per day (UTC).")] = None,
    tokens_per_task: Annotated[int | None, typer.Option(help="The token limit per task.")] = None,
    bot: InBot = None,
    workspace: InWorkspace = None,
    as_json: AsJson = False,
) -> None:
    """Set the language model of a bot; options that you leave out are not changed."""
    secret = sys.stdin.readline().strip() if key == "-" else key
    given: dict[str, Any] = {
        "provider": provider,
        "model": model,
        "base_url": base_url,
        "reader_model": reader_model,
        "purposes": purposes or None,
        "tokens_per_day": tokens_per_day,
        "tokens_per_task": tokens_per_task,
    }
    changes = {name: value for name, value in given.items() if value is not None}

    async def change(ctx: Ctx) -> LanguageModelOut:
        old = await actions.find_fields(ctx)
        fields = {name: getattr(old, name) for name in FIELDS}
        if provider is not None:
            fields |= {"base_url": None, "reader_model": None}
        await actions.set_model(ctx, ModelFields(**{**fields, **changes}), secret)
        return await actions.show_model(ctx)

    setting = in_bot(workspace, bot, change)
    say(setting, f"{sentence_of(setting)} Test it with `instep model test`.", as_json)


@command(app, "unset", "instep model unset --bot acme-help")
def unset_model(bot: InBot = None, workspace: InWorkspace = None, as_json: AsJson = False) -> None:
    """Remove a bot's language model and its key; the bot then uses the installation's, if there is one."""

    async def forget(ctx: Ctx) -> LanguageModelOut:
        await actions.unset_model(ctx)
        return await actions.show_model(ctx)

    model = in_bot(workspace, bot, forget)
    say(model, sentence_of(model), as_json)


@command(app, "test", "instep model test", "instep model test --bot acme-help --json")
def try_model(bot: InBot = None, workspace: InWorkspace = None, as_json: AsJson = False) -> None:
    """Ask a bot's language model one small question; the exit code is 1 if it does not answer."""
    tests = with_bot(workspace, bot, ask)
    if as_json:
        say_json_list(tests)
    else:
        typer.echo("\n".join(map(result_of, tests)))
    if not all(test.works for test in tests):
        raise typer.Exit(1)


async def ask(database: Database, bot: Bot) -> list[ModelTestOut]:
    @asynccontextmanager
    async def enter() -> AsyncIterator[Ctx]:
        async with database.enter_workspace(bot.workspace_id) as tx:
            yield Ctx(tx, bot, OPERATOR, utc_now())

    async with open_model(settings()) as default, aclosing(OutboundClient(settings().allow_list)) as outbound:
        return await test_model(LanguageModels(default, outbound), enter)


def sentence_of(model: LanguageModelOut) -> str:
    if model.source == "none":
        return "No language model is set."
    whose = "the installation's model" if model.source == "installation" else "its own"
    key = f", key {model.key}" if model.key else ""
    return (
        f"{model.model} ({whose}{key}) for {', '.join(model.purposes) or 'nothing'}:"
        f" {model.tokens_used_today:,} of {model.tokens_per_day:,} tokens used today."
    )


def result_of(test: ModelTestOut) -> str:
    if not test.works:
        words = f" The provider says: {test.detail}" if test.detail else ""
        return f"{test.model} does not answer. {test.message}{words}"
    form = (
        "works" if test.structured_output else "does not work, so Instep describes the format in the prompt"
    )
    tokens = "" if test.input_tokens is None else f", {test.input_tokens} + {test.output_tokens} tokens"
    return f"{test.model} answers in {test.milliseconds} ms{tokens}. Structured output {form}."
