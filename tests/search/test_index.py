"""What is kept for the search: with each change of a live article, at little cost, whatever the text is."""

import random

import pytest

from instep.core import limits
from instep.core.clock import utc_now
from instep.core.database import Database, Tx
from instep.core.paging import PageRequest
from instep.identity.schemas import Actor, Bot, Ctx
from instep.search.queries import search_page
from instep.search.schemas import Wanted
from tests.cast import Api, Cast, Client
from tests.search.finding import publish, titles
from tests.web.asking import create_article, found

CHANCE = random.Random(1)
LETTERS = "abcdefghijklmnopqrstuvwxyz"
WHOLE = limits.CONTENT


def words(alphabet: str, length: int, between: str = " ") -> str:
    count = WHOLE // (length + len(between))
    return "Walrus. " + between.join("".join(CHANCE.choices(alphabet, k=length)) for _ in range(count))[:-10]


def letters(first: int, last: int) -> str:
    return "".join(map(chr, range(first, last)))


WORST = {
    "different words": words(LETTERS, 6),
    "different short words": words(LETTERS, 3),
    "different hyphenated words": words(LETTERS, 3, "-"),
    "words of four bytes a letter": words(letters(0x10400, 0x10450), 3),
    "pairs of four bytes a letter": words(letters(0x20000, 0x2A6D0), 40),
    "pairs of three bytes a letter": words(letters(0x4E00, 0x9FFF), 40),
    "letters that become many": "Walrus. " + "\ufdfa" * (WHOLE - 8),
    "one word": "Walrus. " + "x" * (WHOLE - 8),
    "nothing but marks": "Walrus. " + "_" * (WHOLE - 8),
    "numbers": "Walrus. " + "1." * (WHOLE // 2 - 4),
    "paths": "Walrus. " + "/a" * (WHOLE // 2 - 4),
    "addresses": "Walrus. " + "a@b." * (WHOLE // 4 - 2),
}


@pytest.mark.parametrize("text", WORST.values(), ids=WORST)
async def test_no_text_is_too_much_to_be_indexed(api: Api, cast: Cast, text: str, owner: Tx) -> None:
    article = await publish(api(cast.acme.write_key), "Zebra")
    # Straight into the table: rendering such texts is another matter.
    changed = "update articles set content_markdown = %(text)s where id = %(id)s"
    assert await owner.run(changed, text=text, id=article["id"]) == 1

    assert len(text) <= WHOLE
    client = api(cast.acme.read_key)
    client.headers["Accept-Encoding"] = "identity"
    assert await titles(client, "zebra") == await titles(client, "walrus") == ["Zebra"]


async def test_only_live_articles_are_indexed_and_only_their_words_are_written_anew(
    api: Api, cast: Cast, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    draft = await create_article(client, "Draft")
    article = await publish(client, "Live")
    found(await client.patch(f"/v1/articles/{draft['id']}", json={"contentMarkdown": "More."}))
    before = await row_versions(owner, cast)

    for change in (
        {"position": 7},
        {"visibility": "authenticated"},
        {"slug": "other"},
        {"collectionId": None},
    ):
        found(await client.patch(f"/v1/articles/{article['id']}", json=change))

    assert list(before) == [article["id"]]
    assert await row_versions(owner, cast) == before
    found(await client.patch(f"/v1/articles/{article['id']}", json={"title": "Living"}))
    assert await row_versions(owner, cast) != before


async def test_the_index_serves_a_search_under_row_level_security(
    api: Api, cast: Cast, database: Database
) -> None:
    await publish(api(cast.acme.write_key), "Kookaburra")
    bot = Bot(cast.acme.bot_id, cast.acme.workspace_id, cast.acme.slug, "Acme", "en")

    async with database.enter_workspace(bot.workspace_id) as tx, tx.transaction():
        # The tables of tests are small enough to be read whole.
        await tx.run("set local enable_seqscan = off")
        ctx = Ctx(tx, bot, Actor("command", "test", can_write=False), utc_now())
        listed = await search_page(ctx, Wanted("kookaburra"), "markdown", PageRequest(b"key"))
        scans = [await scans_of(tx, name) for name in ("article_search_document", "article_search")]

    assert [row.title for row in listed.rows] == ["Kookaburra"]
    assert scans == [1, 0]


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
    used = "select array_agg(distinct search_config(code)::text) from unnest(%(codes)s::text[]) as code"
    known = (
        "select array_agg(cfgname::text) from pg_ts_config where cfgnamespace = 'pg_catalog'::regnamespace"
    )

    assert set(await owner.value(used, codes=codes.split())) == set(await owner.value(known))


async def test_articles_of_before_are_in_the_index(api: Api, cast: Cast, owner: Tx) -> None:
    """What the migration does with them, on an article that the index does not know."""
    client: Client = api(cast.acme.write_key)
    article = await publish(client, "Kookaburra")
    await owner.run("delete from article_search where article_id = %(id)s", id=article["id"])
    assert await titles(client, "kookaburra") == []

    await owner.run(
        "insert into article_search select r.* from articles a, search_row(a) r where a.id = %(id)s",
        id=article["id"],
    )

    assert await titles(client, "kookaburra") == ["Kookaburra"]


async def row_versions(owner: Tx, cast: Cast) -> dict[str, str]:
    rows = "select jsonb_object_agg(article_id, xmin::text) from article_search where bot_id = %(bot)s"
    versions: dict[str, str] = await owner.value(rows, bot=cast.acme.bot_id)
    return versions


async def scans_of(tx: Tx, name: str) -> int:
    scans: int = await tx.value("select pg_stat_get_xact_numscans(%(name)s::regclass)", name=name)
    return scans
