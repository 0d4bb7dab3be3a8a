"""Parts and variables in a text: the replacement of their references, and refusals."""

import time

import pytest

from instep.content.parts.expansion import (
    Expander,
    PartProblem,
    escape_unknown,
    expand,
    references_in,
    shown_texts,
)
from instep.platform.core import limits

TEXTS = {
    "part.note": "First line.\n\nSecond {{variable.price}} line.",
    "variable.price": "12 €",
    "variable.naïve": "日本語",
}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Costs {{variable.price}}.", "Costs 12 €."),
        ("```sh\nbuy --for '{{variable.price}}'\n```", "```sh\nbuy --for '12 €'\n```"),
        ("{{part.note}}\n", "First line.\n\nSecond 12 € line.\n"),
        ("1. Pay.\n   {{part.note}}", "1. Pay.\n   First line.\n   \n   Second 12 € line."),
        ("- {{part.note}}", "- First line.\n  \n  Second 12 € line."),
        ("> {{part.note}}", "> First line.\n> \n> Second 12 € line."),
        (r"\{{part.note}} and {{variable.naïve}}", "{{part.note}} and 日本語"),
        ("{{ part.note }} ${{ variable.price }} {{value}} {{part}} {{part.}}",) * 2,
    ],
)
def test_a_reference_becomes_the_text_that_it_names(text: str, shown: str) -> None:
    assert expand(text, TEXTS).text == shown


def test_the_references_inside_parts_are_known_too() -> None:
    assert expand("{{part.note}}", TEXTS).references == ["part.note", "variable.price"]
    assert references_in("{{part.note}} \\{{part.other}}") == ["part.note"]


@pytest.mark.parametrize(
    ("texts", "named"),
    [
        ({}, "part.a"),
        ({"part.a": "{{part.a}}"}, "part.a → part.a"),
        ({"part.a": "{{part.b}}", "part.b": "x {{part.a}}"}, "part.a → part.b → part.a"),
        ({f"part.{name}": f"{{{{part.{chr(ord(name) + 1)}}}}}" for name in "abcdefgh"}, "levels"),
    ],
)
def test_missing_and_circular_parts_are_named(texts: dict[str, str], named: str) -> None:
    with pytest.raises(PartProblem, match=named.replace(".", r"\.")):
        expand("{{part.a}}", texts)


def test_a_bomb_is_refused_quickly() -> None:
    tenfold = {f"part.{n}": f"{{{{part.{n + 1}}}}}" * 1_000 for n in range(4)} | {"part.4": "x" * 1_000}
    deep_quote = "> " * 200_000 + "{{part.lines}}"
    started = time.perf_counter()

    for text, texts in (
        ("{{part.0}}", tenfold),
        (deep_quote, {"part.lines": "\n" * limits.MAX_PART_CHARACTERS}),
        ("{{variable.v}}" * 60_000, {"variable.v": "x" * limits.MAX_VARIABLE_CHARACTERS}),
    ):
        with pytest.raises(PartProblem, match="characters"):
            expand(text, texts)

    assert time.perf_counter() - started < 2


def test_unknown_references_of_an_imported_page_are_protected() -> None:
    text = "{{part.note}} {{part.index}} \\{{part.x}}"

    assert escape_unknown(text, frozenset({"part.note"})) == "{{part.note}} \\{{part.index}} \\{{part.x}}"


def test_a_variable_in_hundreds_of_parts_is_checked_once_for_each_language() -> None:
    parts = {f"part.{n}": "{{variable.v}}" * 1_300 for n in range(80)}
    texts_of = {code: {"variable.v": code * 100} for code in ("en", "de", "fr")}
    texts_of["en"] |= parts
    started = time.process_time()

    shown = shown_texts("variable.v", texts_of, "en", list(texts_of))

    assert shown == [code * 100 for code in texts_of]
    assert time.process_time() - started < 3


def test_parts_on_too_many_levels_are_refused_in_any_order() -> None:
    chain = {f"part.{n}": f"{{{{part.{n + 1}}}}}" for n in range(limits.MAX_PART_LEVELS)}
    texts = chain | {f"part.{limits.MAX_PART_LEVELS}": "x"}

    for inner in list(texts)[1:]:
        expander = Expander(texts)
        expander.text_of(inner)
        with pytest.raises(PartProblem, match="levels"):
            expander.text_of("part.0")
