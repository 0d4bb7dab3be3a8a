"""Commands that pages offer to paste into a terminal."""

import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
import typer
from typer.core import TyperGroup

from instep.cli import app
from tests.support.source_code import REPOSITORY

CODE = re.compile(r"<code>(.*?)</code>|“(instep [^”]*)”", re.DOTALL)
BLOCK = re.compile(r"<pre[^>]*><code>(.*?)</code></pre>", re.DOTALL)
TEMPLATE_TAG = re.compile(r"\{%.*?%\}")
TEMPLATE_VALUE = re.compile(r"\{\{.*?\}\}")
TEXTS = [
    path.read_text(encoding="utf-8") for path in sorted(REPOSITORY.glob("instep/**/templates/**/*.html"))
]


def lines_in(parts: Iterator[str]) -> list[str]:
    """The lines that begin with `instep`, with placeholder words for the values that a page inserts."""
    lines = (line for part in parts for line in TEMPLATE_TAG.sub("", part).splitlines())
    return sorted({TEMPLATE_VALUE.sub("value", line) for line in lines if line.startswith("instep ")})


ALL = lines_in(quoted or told for text in TEXTS for quoted, told in CODE.findall(text))
TO_PASTE = lines_in(block for text in TEXTS for block in BLOCK.findall(text))


@pytest.mark.parametrize("line", ALL)
def test_a_command_that_a_page_names_exists_with_its_options(line: str) -> None:
    command, rest = command_of(shlex.split(line)[1:])

    known_options = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in rest if word.startswith("--")} <= known_options


@pytest.mark.parametrize("line", TO_PASTE)
def test_a_command_line_that_a_page_offers_is_accepted(line: str) -> None:
    command, rest = command_of(shlex.split(line)[1:])

    assert command.make_context("instep", rest).params


def command_of(words: list[str]) -> tuple[Any, list[str]]:
    """The command for these words, and the words that remain."""
    command = typer.main.get_command(app)
    while isinstance(command, TyperGroup):
        assert words[0] in command.commands, f"There is no command {words[0]}."
        command, words = command.commands[words[0]], words[1:]
    return command, words
