"""Drafts of one change for an original and its translations: none of them makes another outdated."""

from itertools import permutations

import pytest

from instep.platform.core.database import Database, Tx
from tests.support.cast import Client, Json
from tests.support.changes import DIFF, SETTINGS, publish, send
from tests.support.http import ok
from tests.support.places import waiting
from tests.support.translations import follow, run_translations

TRANSLATED = {"de": ("Einstellungen", "Sekunden"), "ja": ("設定", "秒")}


async def drafts_by_locale(
    client: Client, database: Database, text: str = SETTINGS
) -> tuple[Json, dict[str, str]]:
    """An original with two translations, and the ids of the drafts that one change has for all of them."""
    root = await publish(client, "Settings", text)
    for locale, (title, word) in TRANSLATED.items():
        translation = f"# {title}\n\n`ACME_TIMEOUT`: {word}.\n"
        await publish(client, title, translation, locale=locale, translationOf=root["id"])
    await send(client)
    await run_translations(database)
    rows = ok(await client.get("/v1/drafts"))["results"]
    locales = {title: locale for locale, (title, _) in TRANSLATED.items()}
    return root, {locales.get(row["articleTitle"], "en"): row["id"] for row in rows}


async def outdated(client: Client, root: Json) -> list[str]:
    rows = ok(await client.get(f"/v1/articles/{root['id']}"))["translations"]
    return [row["locale"] for row in rows if row["outdated"]]


@pytest.mark.parametrize("order", list(permutations(("en", "de", "ja"))))
async def test_in_any_order_all_are_up_to_date(
    client: Client, database: Database, owner: Tx, order: tuple[str, ...]
) -> None:
    root, drafts = await drafts_by_locale(client, database)
    assert sorted(drafts) == ["de", "en", "ja"]

    for locale in order:
        ok(await client.post(f"/v1/drafts/{drafts[locale]}/apply", json={}))

    assert await outdated(client, root) == []
    await follow(database, owner)
    assert await waiting(client) == []


async def test_a_translation_that_lacks_the_change_is_outdated_and_its_place_closes_when_it_has_it(
    client: Client, database: Database, owner: Tx
) -> None:
    root, drafts = await drafts_by_locale(client, database)
    ok(await client.post(f"/v1/drafts/{drafts['ja']}/apply", json={}))
    ok(await client.post(f"/v1/drafts/{drafts['en']}/apply", json={}))
    await follow(database, owner)
    [place] = await waiting(client)
    assert (await outdated(client, root), place["articleTitle"]) == (["de"], "Einstellungen")

    ok(await client.post(f"/v1/drafts/{drafts['de']}/apply", json={}))
    await run_translations(database)

    assert await waiting(client) == []
    settled = ok(await client.get(f"/v1/places/{place['id']}"))
    assert settled["status"] == "resolved"


async def test_a_later_push_that_edits_only_the_original_makes_its_translations_outdated(
    client: Client, database: Database
) -> None:
    text = SETTINGS + "\nSet `ACME_RETRIES` to a number of attempts.\n"
    root, drafts = await drafts_by_locale(client, database, text)
    for locale in ("de", "ja", "en"):
        ok(await client.post(f"/v1/drafts/{drafts[locale]}/apply", json={}))
    assert await outdated(client, root) == []

    await send(client, diff=DIFF.replace("ACME_TIMEOUT", "ACME_RETRIES").replace("REQUEST_TIMEOUT", "TRIES"))
    await run_translations(database)
    [draft] = ok(await client.get("/v1/drafts"))["results"]
    ok(await client.post(f"/v1/drafts/{draft['id']}/apply", json={}))

    assert await outdated(client, root) == ["de", "ja"]


async def test_a_place_closes_when_a_person_writes_the_translation_and_other_places_stay_open(
    client: Client, database: Database, owner: Tx
) -> None:
    root, drafts = await drafts_by_locale(client, database)
    ok(await client.post(f"/v1/drafts/{drafts['en']}/apply", json={}))
    await follow(database, owner)
    places = {place["articleTitle"]: place for place in await waiting(client)}
    assert sorted(places) == ["Einstellungen", "設定"]

    german = places["Einstellungen"]["articleId"]
    ok(await client.patch(f"/v1/articles/{german}", json={"contentMarkdown": "# Einstellungen\n\nNeu.\n"}))
    await run_translations(database)

    assert [place["articleTitle"] for place in await waiting(client)] == ["設定"]
    assert await outdated(client, root) == ["ja"]
