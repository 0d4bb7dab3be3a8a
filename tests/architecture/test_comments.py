"""Comments and docstrings are plain American English: each begins with its subject."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator

import pytest

from tests.support.source_code import REPOSITORY, Module, modules_below

# The first pattern hides the subject of a sentence; the words are British or read as translated.
UNPLAIN = re.compile(
    r"\A\s*(?:Of|What|Which|Who|Whoever|Whose|Nobody|Where) "
    r"|\b(e-mail|behaviour|favourite|licence|[Ss]omebody else|([Aa]ny|[Ee]very)body else|mended)\b"
)
# Tokenizing takes a hundred times as long, so only modules that match this pattern are tokenized.
SUSPECT = re.compile(UNPLAIN.pattern.replace(r"\A", r"[#'\"]", 1))


@pytest.mark.parametrize("folder", ["bench", "contract", "eval", "instep", "scripts", "tests"])
def test_comments_are_plain_american_english(folder: str) -> None:
    places = [
        module.at(line)
        for module in modules_below(REPOSITORY / folder)
        if SUSPECT.search(module.text)
        for line, text in [*comments(module), *docstrings(module)]
        if UNPLAIN.search(text)
    ]

    assert not places, "\n".join(places)


def comments(module: Module) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(module.text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("#")


def docstrings(module: Module) -> Iterator[tuple[int, str]]:
    """The docstrings of modules, classes, functions and attributes."""
    for node in ast.walk(module.tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text)), lineno=line):
                yield line, text
