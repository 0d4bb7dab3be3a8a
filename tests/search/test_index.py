"""Indexing of any text, in the language of its article."""

import random
from collections.abc import Callable

import pytest

from instep.platform.core import limits
from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast
from tests.support.search import publish, titles

RANDOM = random.Random(1)
LETTERS = "abcdefghijklmnopqrstuvwxyz"
MAX_LENGTH = limits.MAX_CONTENT_CHARACTERS


def words(alphabet: str, length: int, separator: str = " ", size: int = MAX_LENGTH) -> str:
    count = size // (length + len(separator))
    return (
        "Walrus. " + separator.join("".join(RANDOM.choices(alphabet, k=length)) for _ in range(count))[:-10]
    )


def letters(first: int, last: int) -> str:
    return "".join(map(chr, range(first, last)))


# Texts are built only when a test needs them: each process imports this module, and few run its tests.
HOSTILE_TEXTS: dict[str, Callable[[], str]] = {
    "different words": lambda: words(LETTERS, 6),
    "different short words": lambda: words(LETTERS, 3),
    "different hyphenated words": lambda: words(LETTERS, 3, "-"),
    "words of four bytes a letter": lambda: words(letters(0x10400, 0x10450), 3),
    "pairs of four bytes a letter": lambda: words(letters(0x20000, 0x2A6D0), 40),
    # Shorter, because the letters of four bytes above already make as many pairs, from more bytes.
    "pairs of three bytes a letter": lambda: words(letters(0x4E00, 0x9FFF), 40, size=MAX_LENGTH // 8),
    "letters that expand to many": lambda: "Walrus. " + "\ufdfa" * (MAX_LENGTH - 8),
    "one word": lambda: "Walrus. " + "x" * (MAX_LENGTH - 8),
    "punctuation alone": lambda: "Walrus. " + "_" * (MAX_LENGTH - 8),
    "numbers": lambda: "Walrus. " + "1." * (MAX_LENGTH // 2 - 4),
    "paths": lambda: "Walrus. " + "/a" * (MAX_LENGTH // 2 - 4),
    "addresses": lambda: "Walrus. " + "a@b." * (MAX_LENGTH // 4 - 2),
}


@pytest.mark.parametrize("make_text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
async def test_every_text_can_be_indexed(
    api: Api, cast: Cast, make_text: Callable[[], str], owner: Tx
) -> None:
    text = make_text()
    article = await publish(api(cast.acme.write_key), "Zebra")
    # The text is inserted directly because this test is not about rendering.
    update = "update articles set content_markdown = %(text)s where id = %(id)s"
    assert await owner.execute(update, text=text, id=article["id"]) == 1

    assert len(text) <= MAX_LENGTH
    client = api(cast.acme.read_key)
    client.headers["Accept-Encoding"] = "identity"
    assert await titles(client, "zebra") == await titles(client, "walrus") == ["Zebra"]


@pytest.mark.parametrize(
    ("locale", "config"),
    [
        *(("en", "english"), ("en-GB", "english"), ("pt-BR", "portuguese"), ("nb", "norwegian")),
        *(("nn", "norwegian"), ("zh-Hant", "simple"), ("ja", "simple"), ("pl", "simple"), ("xx", "simple")),
    ],
)
async def test_a_language_is_read_by_its_configuration(owner: Tx, locale: str, config: str) -> None:
    assert await owner.value("select search_config(%(locale)s)::text", locale=locale) == config


async def test_every_configuration_of_postgresql_belongs_to_a_language(owner: Tx) -> None:
    codes = "ar ca da de el en es et eu fi fr ga hi hu hy id it lt nb ne nl pt ro ru simple sr sv ta tr yi"
    configs_used = (
        "select array_agg(distinct search_config(code)::text) from unnest(%(codes)s::text[]) as code"
    )
    configs_of_postgresql = (
        "select array_agg(cfgname::text) from pg_ts_config where cfgnamespace = 'pg_catalog'::regnamespace"
    )

    assert set(await owner.value(configs_used, codes=codes.split())) == set(
        await owner.value(configs_of_postgresql)
    )
