"""GET /help/{bot}/…: addresses without a page are redirected, with one lookup in an index."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from starlette.routing import Route

from instep.accounts.workspaces.domain_claims import change_domain
from instep.content.redirects import actions, queries, resolving
from instep.content.redirects.path_patterns import FIXED_PAGE, anchor_of
from instep.content.redirects.schemas import FormerPath, RedirectCreate
from instep.interfaces.site import related
from instep.interfaces.site.public_routes import routes
from instep.platform.core import limits
from instep.platform.core.database import Database, Tx
from tests.interfaces.site.test_addresses import counted
from tests.support.articles import acting
from tests.support.cast import Api, Cast
from tests.support.former_links import ELSEWHERE, REDIRECTS, follow, home, redirect
from tests.support.http import all_pages, ok
from tests.support.limits import SetSetting
from tests.support.site_pages import collect, publish, set_article, visit

MANY = 5_000


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("/old/page", "/old/page"),
        ("/old/page", "/old/page/?utm=1"),
        ("/gr%C3%B6%C3%9Fe", "/gr%C3%B6%C3%9Fe"),
        ("/doma%CC%81ci%CC%81", "/dom%C3%A1c%C3%AD"),
        ("/dom%C3%A1c%C3%AD", "/doma%CC%81ci%CC%81"),
        ("/50%25_off", "/50%25_off"),
        ("/mcp/quickstart", "/mcp/quickstart"),
        ("/hc/*/articles/360012-*", "/hc/de/articles/360012-einrichten"),
        ("/hc/*/articles/360012-*", "/hc/en-us/articles/360012-"),
        ("/*", "/anything"),
        ("/articles/gone", "/articles/gone"),
        ("/de/articles/*", "/de/articles/weg"),
        ("/collections/gone", "/collections/gone"),
    ],
)
async def test_redirect_leads_to_its_article(api: Api, cast: Cast, source: str, path: str) -> None:
    client = api(cast.acme.write_key)
    article = await publish(client, "Install")
    await redirect(client, source, articleId=article["id"])

    assert await follow(api, cast, path) == (301, article["url"])


@pytest.mark.parametrize(
    "path", ["/old", "/old/page/more", "/Old/page", "/hc/articles/360012-x", "/50x_off", "/50%25Xoff"]
)
async def test_other_addresses_are_not_found(api: Api, cast: Cast, path: str) -> None:
    client = api(cast.acme.write_key)
    for source in ("/old/page", "/hc/*/articles/360012-*", "/50%25_off"):
        await redirect(client, source)

    assert await follow(api, cast, path) == (404, None)


async def test_caches_ask_each_time_and_other_methods_are_not_redirected(api: Api, cast: Cast) -> None:
    await redirect(api(cast.acme.write_key), "/old")
    path = f"/help/{cast.acme.slug}/old"

    for method in ("GET", "HEAD"):
        moved = await api(None).request(method, path)
        assert (moved.status_code, moved.headers["Location"]) == (301, ELSEWHERE)
        assert "no-cache" in moved.headers["Cache-Control"]
        assert moved.headers["Content-Security-Policy"].startswith("default-src 'none';")
    assert (await api(None).post(path)).status_code == 404


async def test_redirect_leads_to_the_current_address_of_its_article(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    article = await publish(client, "Einrichten", locale="de")
    await redirect(client, "/old", articleId=article["id"])
    ok(await client.patch(f"/v1/articles/{article['id']}", json={"slug": "aufsetzen"}))

    assert await follow(api, cast, "/old") == (301, f"{home(cast)}/de/articles/aufsetzen")


async def test_a_page_comes_before_a_redirect(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    group = await collect(client, "Guides")
    await publish(client, "Install", collectionId=group["id"])
    for source in ("/*", "/*/*", "/articles/install", "/collections/guides"):
        await redirect(client, source)

    for path in ("/", "/changelog", "/search", "/articles/install", "/collections/guides", "/sitemap.xml"):
        assert (await follow(api, cast, path))[0] == 200
    ok(await client.patch("/v1/articles/install", json={"slug": "set-up"}))
    assert await follow(api, cast, "/articles/install") == (301, f"{home(cast)}/articles/set-up")


@pytest.mark.parametrize(
    "assignment",
    [
        *("status = 'draft'", "status = 'in_review'", "status = 'archived'"),
        *("deleted_at = now()", "visibility = 'authenticated'"),
    ],
)
async def test_to_an_article_that_is_not_public_it_leads_nowhere(
    api: Api, cast: Cast, owner: Tx, assignment: str
) -> None:
    client = api(cast.acme.write_key)
    article = await publish(client, "Install")
    await redirect(client, "/old", articleId=article["id"])
    await redirect(client, "/older", url=article["url"])
    await redirect(client, "/*")
    await set_article(owner, article, assignment)

    for path in ("old", "older"):
        answer = await visit(api, f"{cast.acme.slug}/{path}")
        assert (answer.status_code, "install" in answer.text.lower()) == (404, False)


async def test_to_an_article_in_a_collection_that_is_hidden_from_above_it_leads_nowhere(
    api: Api, cast: Cast
) -> None:
    client = api(cast.acme.write_key)
    top = await collect(client, "Top")
    inner = await collect(client, "Inner", parentId=top["id"])
    article = await publish(client, "Install", collectionId=inner["id"])
    await redirect(client, "/old", articleId=article["id"])
    assert (await follow(api, cast, "/old"))[0] == 301

    ok(await client.patch("/v1/collections/top", json={"visibility": "authenticated"}))

    assert await follow(api, cast, "/old") == (404, None)


async def test_an_article_that_comes_back_is_led_to_again(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    article = await publish(client, "Install")
    await redirect(client, "/old", articleId=article["id"])
    path = f"/v1/articles/{article['id']}"
    ok(await client.delete(path))
    assert await follow(api, cast, "/old") == (404, None)

    ok(await client.post(f"{path}/restore"))
    ok(await client.post(f"{path}/publish"))

    assert await follow(api, cast, "/old") == (301, article["url"])


async def test_redirect_is_deleted_when_its_article_is_purged(api: Api, cast: Cast, owner: Tx) -> None:
    client = api(cast.acme.write_key)
    article = await publish(client, "Install")
    await redirect(client, "/old", articleId=article["id"])
    await set_article(owner, article, "deleted_at = now() - interval '100 years'")

    await owner.value("select purge_deleted_articles(interval '99 years', 1)")

    assert await all_pages(client, REDIRECTS) == []


async def test_the_most_exact_one_wins(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    sources = ("/*/*", "/docs/*", "/docs/in*", "/docs/inst*", "/docs/install")
    for source in sources:
        await redirect(client, source, url=f"https://elsewhere.example/{sources.index(source)}")

    expected = {"/docs/install": 4, "/docs/installer": 3, "/docs/into": 2, "/docs/begin": 1, "/blog/x": 0}
    for path, number in expected.items():
        assert await follow(api, cast, path) == (301, f"https://elsewhere.example/{number}")


async def test_redirect_skips_redirects_that_were_made_later(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await redirect(client, "/first", url=f"{home(cast)}/second")
    await redirect(client, "/second", url=f"{home(cast)}/third")
    await redirect(client, "/thi*")

    for path in ("/first", "/second", "/third"):
        assert await follow(api, cast, path) == (301, ELSEWHERE)


async def test_redirect_skips_former_slugs(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await redirect(client, "/old", url=f"{home(cast)}/articles/install#linux")
    await publish(client, "Install")
    assert await follow(api, cast, "/old") == (301, f"{home(cast)}/articles/install#linux")

    ok(await client.patch("/v1/articles/install", json={"slug": "set-up"}))

    assert await follow(api, cast, "/old") == (301, f"{home(cast)}/articles/set-up#linux")


async def test_a_page_that_goes_makes_no_chain_and_no_circle(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    group = await collect(client, "Guides")
    await redirect(client, "/old", url=f"{home(cast)}/collections/guides")
    pattern = await redirect(client, "/collections/*", url=f"{home(cast)}/collections/guides")
    assert await follow(api, cast, "/collections/tips") == (301, f"{home(cast)}/collections/guides")

    ok(await client.delete(f"/v1/collections/{group['id']}"))
    assert await follow(api, cast, "/old") == (404, None)
    ok(await client.delete(f"/v1/redirects/{pattern['id']}"))
    await redirect(client, "/collections/*")

    assert await follow(api, cast, "/old") == (301, ELSEWHERE)


async def test_another_help_center_has_none_of_it(api: Api, cast: Cast) -> None:
    await redirect(api(cast.acme.write_key), "/old")

    for bot in (cast.globex.slug, "nobody"):
        assert (await visit(api, f"{bot}/old")).status_code == 404


@pytest.mark.parametrize(
    "path", ["a%00b", "%ff", "a%0d%0ab", "x/" * 3_000, "%2e%2e/%2e%2e/etc", "%F0%9F%98%80"]
)
async def test_odd_addresses_are_not_found(api: Api, cast: Cast, path: str) -> None:
    await redirect(api(cast.acme.write_key), "/old")

    assert (await visit(api, f"{cast.acme.slug}/{path}")).status_code == 404


async def test_a_page_costs_nothing_more_and_a_redirect_one_lookup(
    api: Api, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = api(cast.acme.write_key)
    article = await publish(client, "Install")
    await redirect(client, "/*/*", articleId=article["id"])
    statements: list[str] = []
    monkeypatch.setattr(Tx, "send", counted(Tx.send, statements))

    assert (await visit(api, f"{cast.acme.slug}/articles/install")).status_code == 200
    assert not any("redirects" in statement for statement in statements)
    # The first visit to an article also loads its help center's index in the background.
    await asyncio.gather(*related.loading.values())
    statements.clear()
    assert (await visit(api, f"{cast.acme.slug}/docs/install")).status_code == 301

    # One statement finds the help center, and one looks up the address.
    assert len(statements) == 2


@pytest.mark.parametrize("pattern", ["/hc/en-us/articles/{}-install", "/hc/*/articles/{}-*", "/blog/{}/*"])
async def test_index_finds_one_redirect_among_thousands(
    api: Api, cast: Cast, database: Database, owner: Tx, pattern: str
) -> None:
    sources = [pattern.format(360_000_000 + number) for number in range(MANY)]
    await insert_many(owner, cast, sources)
    path = sources[4_321].replace("*", "x")

    async with acting(database, cast.acme) as ctx:
        plan = await explain(ctx.tx, queries.find_target_params(ctx, path))
        target = await queries.find_target(ctx, path)

    assert target is not None
    assert target.url == "https://elsewhere.example/4321"
    assert "Seq Scan" not in scans_of_redirects(plan)
    assert plan["Actual Rows"] == 1
    assert removed_rows(plan) <= 5
    await owner.execute("delete from redirects where bot_id = %(bot)s", bot=cast.acme.bot_id)


async def insert_many(owner: Tx, cast: Cast, sources: list[str]) -> None:
    await owner.execute(
        """
        insert into redirects (id, workspace_id, bot_id, path, anchor, url, created_at)
        select 'rdr_' || %(bot)s::text || n, %(workspace)s, %(bot)s, path, anchor,
            'https://elsewhere.example/' || n - 1, now()
        from unnest(%(paths)s::text[], %(anchors)s::text[]) with ordinality as s (path, anchor, n)
        """,
        workspace=cast.acme.workspace_id,
        bot=cast.acme.bot_id,
        paths=sources,
        anchors=[anchor_of(source) for source in sources],
    )
    await owner.execute("analyze redirects")


async def explain(tx: Tx, params: dict[str, Any]) -> dict[str, Any]:
    sql = f"explain (analyze, format json) {queries.FIND_TARGET}"
    [explanation] = await tx.value(sql, **params)
    plan: dict[str, Any] = explanation["Plan"]
    return plan


def scans_of_redirects(plan: dict[str, Any]) -> list[str]:
    scans = [plan["Node Type"]] if plan.get("Relation Name") == "redirects" else []
    return scans + [name for below in plan.get("Plans", ()) for name in scans_of_redirects(below)]


def removed_rows(plan: dict[str, Any]) -> int:
    """Redirects that were read in vain; plans for the other tables depend on other tests' rows."""
    counts = [count for name, count in plan.items() if name.startswith("Rows Removed")]
    removed = sum(counts) if plan.get("Relation Name") == "redirects" else 0
    return int(removed) + sum(removed_rows(below) for below in plan.get("Plans", ()))


def test_every_page_of_the_site_is_known_as_one() -> None:
    known_pages = (
        *(FIXED_PAGE, resolving.ARTICLE_PAGE),
        *(resolving.COLLECTION_PAGE, resolving.ENTRY_PAGE),
    )
    paths = [
        route.path.removeprefix("/help/{bot}")
        for route in routes
        if isinstance(route, Route) and route.path.startswith("/help/{bot}/")
    ]

    assert len(paths) > 5
    assert [path for path in paths if not any(page.fullmatch(path) for page in known_pages)] == []


async def test_many_are_made_in_one_transaction(api: Api, cast: Cast, database: Database) -> None:
    async with acting(database, cast.acme) as ctx:
        for number in range(20):
            body = {"from": f"/old/{number}", "url": ELSEWHERE}
            await actions.create_redirect(ctx, RedirectCreate.model_validate(body))

    assert await follow(api, cast, "/old/19") == (301, ELSEWHERE)


async def test_only_new_redirects_count_toward_the_limit(
    api: Api, cast: Cast, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_REDIRECTS", 3)
    paths = [FormerPath(path, url=ELSEWHERE) for path in ("/a", "/b", "/c", "/d", "/e")]
    async with acting(database, cast.acme) as ctx:
        first = await actions.add_redirects(ctx, paths[:2])
        second = await actions.add_redirects(ctx, paths)
        third = await actions.add_redirects(ctx, paths[:3])

    assert (first, second, third) == ([], ["/d", "/e"], [])
    assert await follow(api, cast, "/c") == (301, ELSEWHERE)


@pytest.mark.parametrize(
    ("path", "led_to"),
    [
        ("/docs/hc/install", (301, "/articles/install")),
        ("/docs/guides/old", (301, "/articles/install")),
        ("/docs/articles/install", (301, "/articles/install")),
        ("/docs", (301, "/")),
        ("/docs/docs/hc/install", (301, "/articles/install")),
        ("/docsy/hc/install", (404, None)),
        ("/docs/gone", (404, None)),
    ],
)
async def test_a_prefix_redirect_keeps_the_rest_of_the_path(
    api: Api, cast: Cast, path: str, led_to: tuple[int, str | None]
) -> None:
    client = api(cast.acme.write_key)
    article = await publish(client, "Install")
    await redirect(client, "/hc/install", articleId=article["id"])
    await redirect(client, "/guides/old", url=f"{home(cast)}/hc/install")

    row = await redirect(client, "/docs/*", url="/*")

    assert (row["from"], row["url"]) == ("/docs/*", f"{home(cast)}/*")
    status, location = await follow(api, cast, path)
    assert (status, location and location.removeprefix(home(cast))) == led_to


async def test_the_rest_never_changes_the_host(api: Api, cast: Cast) -> None:
    await redirect(api(cast.acme.write_key), "/blog/*", url="https://blog.example/posts/*")

    for path, led_to in (
        ("/blog/2024/a%20b", "https://blog.example/posts/2024/a%20b"),
        ("/blog//evil.example/x", "https://blog.example/posts/evil.example/x"),
        ("/blog/%2F%2Fevil.example", "https://blog.example/posts/evil.example"),
        ("/blog/@evil.example", "https://blog.example/posts/%40evil.example"),
        ("/blog/x%3Fy%23z", "https://blog.example/posts/x%3Fy%23z"),
    ):
        assert await follow(api, cast, path) == (301, led_to)


async def test_prefix_redirects_in_a_circle_lead_nowhere(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await redirect(client, "/a/*", url="/b/*")
    await redirect(client, "/b/*", url="/a/*")

    assert await follow(api, cast, "/a/x") == (404, None)


@pytest.mark.parametrize("is_at_own_host", [True, False])
async def test_redirects_to_own_pages_go_on_when_the_addresses_of_the_help_center_change(
    api: Api, cast: Cast, owner: Tx, database: Database, set_setting: SetSetting, is_at_own_host: bool
) -> None:
    client, workspace_id, bot_id = api(cast.acme.write_key), cast.acme.workspace_id, cast.acme.bot_id
    host = f"{cast.acme.slug}.acme.example"
    before, after = home(cast), f"https://{host}"
    if is_at_own_host:
        await change_domain(owner, workspace_id, bot_id, host)
        before, after = f"http://{host}", f"https://moved.example/help/{cast.acme.slug}"
    await publish(client, "Install")
    for source, url in (
        ("/docs/*", "/articles/*"),
        ("/guides/*", f"{before}/articles/*"),
        ("/place", f"{before}/articles/install#linux"),
        ("/found", f"{before}/search?q=install"),
    ):
        await redirect(client, source, url=url)
    async with acting(database, cast.acme) as ctx:
        if is_at_own_host:
            ctx = replace(ctx, bot=replace(ctx.bot, domain=host))
        await actions.add_redirects(ctx, [FormerPath("/imported/**", url=f"{before}/articles/*")])

    await change_domain(owner, workspace_id, bot_id, None if is_at_own_host else host)
    set_setting("INSTEP_SITE_URL", "https://moved.example")

    for path, led_to in (
        ("/docs/install", "/articles/install"),
        ("/guides/install", "/articles/install"),
        ("/place", "/articles/install#linux"),
        ("/found", "/search?q=install"),
        ("/imported/install", "/articles/install"),
    ):
        answer = await api(None).get(after + path)
        assert (answer.status_code, answer.headers.get("Location")) == (301, after + led_to)
    urls = {row["from"]: row["url"] for row in await all_pages(client, REDIRECTS)}
    assert urls["/docs/*"] == f"{after}/articles/*"
