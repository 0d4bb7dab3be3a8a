"""GET / and URLs that people guess: they redirect, and reveal no names to strangers."""

import pytest

from instep.platform.core.database import Tx
from instep.platform.identity.scopes import Scope
from tests.support.cast import Api, Cast, Client, Company, Rows, create_company
from tests.support.site_pages import Page, publish

ROOTS = pytest.mark.parametrize("path", ["/", "/help", "/help/"])


async def second_bot(new_owner: Tx, company: Company, name: str) -> tuple[str, str]:
    """Add a bot; return its slug and a key that may write to it."""
    rows = Rows()
    bot_id, slug, _ = rows.bot(company.workspace_id, name)
    _, key = rows.key(company.workspace_id, "writer", Scope.WRITE, bot_id)
    await rows.insert(new_owner)
    return slug, key


@ROOTS
async def test_the_only_help_center_is_what_the_root_leads_to(new_api: Api, new_owner: Tx, path: str) -> None:
    acme = await create_company(new_owner, "Acme")

    answer = await new_api(None).get(path)

    assert (answer.status_code, answer.headers["Location"]) == (302, f"/help/{acme.slug}/")
    # The next redirect may have another target, so no cache may keep this one.
    assert answer.headers["Cache-Control"] == "no-store"
    assert (await new_api(None).get(answer.headers["Location"])).status_code == 200


@ROOTS
async def test_without_a_help_center_the_commands_that_make_one_are_told(new_api: Api, path: str) -> None:
    answer = await new_api(None).get(path)

    page = Page(answer.text)
    assert answer.status_code == 200
    assert "printed a link" in page.text
    assert 'instep bot create "Acme Help"' in page.text
    assert "instep key create ci --scope content:write" in page.text
    assert "/docs/api" in page.links


async def test_help_centers_of_the_only_company_are_listed_if_they_have_pages(
    new_api: Api, new_owner: Tx
) -> None:
    acme = await create_company(new_owner, "Acme")
    slug, key = await second_bot(new_owner, acme, "Shop")
    await second_bot(new_owner, acme, "Being prepared")
    await publish(new_api(acme.write_key), "Install")
    await publish(new_api(key), "Pay")

    page = Page((await new_api(None).get("/")).text)

    assert page.links == ["#content", f"/help/{acme.slug}/", f"/help/{slug}/"]
    assert "Being prepared" not in page.text


async def test_an_article_that_is_not_public_puts_no_help_center_on_the_list(
    new_api: Api, new_owner: Tx
) -> None:
    acme = await create_company(new_owner, "Acme")
    slug, key = await second_bot(new_owner, acme, "Internal")
    await publish(new_api(acme.write_key), "Install")
    await publish(new_api(key), "Salaries", visibility="authenticated")

    answer = await new_api(None).get("/")

    assert acme.slug in answer.text
    assert slug not in answer.text


@ROOTS
async def test_strangers_are_told_of_no_company_where_there_are_several(
    client: Client, visitor: Client, cast: Cast, path: str
) -> None:
    await publish(client, "Install")

    answer = await visitor.get(path)

    assert answer.status_code == 200
    assert "instep bot list" in answer.text
    assert Page(answer.text).links == ["#content"]
    assert not any(name in answer.text for name in ("Acme", "Globex", cast.acme.slug, cast.globex.slug))


@pytest.mark.parametrize("path", ["/docs", "/docs/"])
async def test_the_documentation_of_the_api_is_found_where_people_look_for_it(
    visitor: Client, path: str
) -> None:
    answer = await visitor.get(path)

    assert (answer.status_code, answer.headers["Location"]) == (302, "/docs/api")


async def test_every_kind_of_page_has_an_icon_that_is_there(visitor: Client, cast: Cast) -> None:
    for path in (f"/help/{cast.acme.slug}/", "/", "/help/nobody/", "/sign-in", "/docs/api"):
        page = Page((await visitor.get(path)).text)
        icons = [link["href"] or "" for link in page.attributes("link") if link.get("rel") == "icon"]
        assert icons == ["/favicon.ico", "/static/icon.svg"], path

    answers = [await visitor.get(path) for path in ("/favicon.ico", "/static/icon.svg")]

    assert [answer.headers["Content-Type"] for answer in answers] == [
        "image/vnd.microsoft.icon",
        "image/svg+xml",
    ]
    assert answers[0].content.startswith(b"\x00\x00\x01\x00")


async def test_robots_find_the_sitemaps_of_the_only_company(new_api: Api, new_owner: Tx) -> None:
    acme = await create_company(new_owner, "Acme")
    slug, _ = await second_bot(new_owner, acme, "Shop")

    answer = await new_api(None).get("/robots.txt")

    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.text.splitlines() == [
        "User-agent: *",
        "Disallow:",
        *(f"Sitemap: http://help.test/help/{name}/sitemap.xml" for name in (acme.slug, slug)),
    ]


async def test_robots_are_not_told_which_companies_there_are(new_api: Api, new_owner: Tx) -> None:
    for name in ("Acme", "Globex"):
        await create_company(new_owner, name)

    assert (await new_api(None).get("/robots.txt")).text == "User-agent: *\nDisallow:\n"
