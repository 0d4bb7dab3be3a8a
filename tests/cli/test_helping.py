"""The help texts of commands, as shown in a terminal."""

import re
from collections.abc import Iterator

import pytest
import typer
from typer.core import TyperGroup

from instep.cli import app
from tests.support.commands import run_command


def commands() -> Iterator[list[str]]:
    """The words of every command."""

    def below(group: TyperGroup, words: list[str]) -> Iterator[list[str]]:
        for name, command in group.commands.items():
            if isinstance(command, TyperGroup):
                yield from below(command, [*words, name])
            else:
                yield [*words, name]

    root = typer.main.get_command(app)
    assert isinstance(root, TyperGroup)
    return below(root, [])


@pytest.mark.parametrize("words", list(commands()), ids=" ".join)
def test_every_command_shows_examples_of_itself_and_no_types(words: list[str]) -> None:
    text = run_command(*words, "--help").text

    before, _, examples = text.partition(" Examples:\n")
    assert f"instep {' '.join(words)}" in examples
    assert re.findall(r"<\w+", before) == []
    own_options = set(re.findall(r"--[a-z-]+", before))
    assert set(re.findall(r" (--[a-z-]+)", examples)) <= own_options


def test_help_is_a_command_too() -> None:
    for words in ([], ["key"], ["key", "create"], ["change"]):
        assert run_command("help", *words).text.strip() == run_command(*words, "--help").text.strip()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["chnage"], "Did you mean 'change'?"),
        (["key", "creat"], "Did you mean 'create'?"),
        (["help", "bto"], "Did you mean 'bot'?"),
        (["help", "key", "creat"], "Did you mean 'create'?"),
        (["help", "change", "now"], "`instep change` has no commands"),
    ],
)
def test_an_unknown_command_is_answered_with_the_one_that_may_be_meant(
    words: list[str], sentence: str
) -> None:
    result = run_command(*words)

    assert (result.code, result.out) == (2, "")
    assert sentence in result.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["key", "create"], "Missing argument 'NAME'."),
        (
            ["key", "create", "ci", "--scope", "all"],
            "'content:propose'",
        ),
        (["serve", "--port", "many"], "Invalid value for '--port': Input should be a valid integer"),
    ],
)
def test_a_wrong_value_is_told_in_the_words_of_the_help(words: list[str], sentence: str) -> None:
    result = run_command(*words)
    told = " ".join(result.err.replace("│", "").split())

    assert result.code == 2
    assert sentence in told
    assert "Value error" not in told
    assert "unable to parse" not in told
