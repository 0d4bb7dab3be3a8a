"""`instep model show|set|test|unset`."""

import pytest

from tests.support.cast import Cast
from tests.support.commands import CommandResult, Operator
from tests.support.model_endpoint import KEY, endpoint, errs, says
from tests.support.setting_models import LOOPBACK
from tests.support.wording import like


class Commands:
    """`instep model` for Acme's first bot."""

    def __init__(self, operator: Operator, cast: Cast) -> None:
        self.operator = operator
        self.place = ("--workspace", cast.acme.workspace_id, "--bot", cast.acme.slug)

    async def run(self, *arguments: str, typed: str = "") -> CommandResult:
        environment = dict([LOOPBACK])
        return await self.operator.run("model", *arguments, *self.place, typed=typed, **environment)


@pytest.fixture
def commands(operator: Operator, cast: Cast) -> Commands:
    return Commands(operator, cast)


async def test_a_model_is_set_shown_and_unset(commands: Commands) -> None:
    before = await commands.run("show")
    setting = ("set", "--provider", "anthropic", "--model", "claude-9", "--for", "answers", "--key", "-")
    made = await commands.run(*setting, "--json", typed=f"{KEY}\n")
    shown = await commands.run("show")
    gone = await commands.run("unset")

    assert before.text == like("No…model…\n")
    assert (made.json["model"], made.json["key"]) == ("claude-9", f"…{KEY[-4:]}")
    assert shown.text.startswith(f"claude-9 (its own, key …{KEY[-4:]}) for answers: 0 of")
    assert gone.text == like("No…model…\n")
    assert KEY not in made.out + shown.out


async def test_omitted_options_keep_their_values(commands: Commands) -> None:
    await commands.run("set", "--provider", "openai", "--model", "gpt-9", "--key", KEY)
    changed = (await commands.run("set", "--tokens-per-day", "5000", "--reader", "small", "--json")).json

    assert (changed["model"], changed["readerModel"], changed["tokensPerDay"]) == ("gpt-9", "small", 5_000)
    assert changed["key"] == f"…{KEY[-4:]}"


async def test_a_test_says_whether_it_answers(commands: Commands) -> None:
    async with endpoint(says({"days": 7}), errs(401)) as behind:
        place = ("--url", f"{behind.url}/v1", "--key", KEY)
        await commands.run("set", "--provider", "openai", "--model", "gpt-9", *place)
        works = await commands.run("test")
        fails = await commands.run("test")

    assert "openai:gpt-9 answers in " in works.text
    assert "Structured output works." in works.text
    assert fails.code == 1
    assert "key (401)" in fails.out
    assert KEY not in fails.out + fails.err


async def test_a_refusal_says_what_to_do(commands: Commands) -> None:
    refused = await commands.run("set", "--provider", "openai", "--model", "gpt-9")
    private = ("--url", "http://10.9.8.7/v1", "--key", KEY)
    unset = await commands.run("unset")

    assert "`key`" in refused.refusal
    hidden = await commands.run("set", "--provider", "openai", "--model", "gpt-9", *private)
    assert "INSTEP_MODEL_ALLOW" in hidden.refusal
    assert "No language" in unset.refusal
