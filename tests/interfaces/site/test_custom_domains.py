"""A help center at its own host name: the same pages at the root, and nothing else."""

from collections.abc import Awaitable, Callable

import httpx2
import pytest
from fastapi import FastAPI

from instep.accounts.workspaces.actions import pause_workspace
from instep.accounts.workspaces.domain_claims import change_domain
from instep.platform.core.config import settings
from instep.platform.core.database import Tx
from instep.platform.core.errors import InvalidRequest
from tests.interfaces.site.test_addresses import counted
from tests.support.cast import Api, Cast, Client
from tests.support.changelog_entries import publish_entry
from tests.support.limits import SetSetting
from tests.support.site_pages import LISTED, Page, collect, publish, visit
from tests.support.uploads import upload
from tests.support.visitor_tokens import claims, secret_of, sign

# A request to the custom domain.
Get = Callable[..., Awaitable[httpx2.Response]]


@pytest.fixture
async def host(owner: Tx, cast: Cast) -> str:
    name = f"{cast.acme.slug}.acme.example"
    await change_domain(owner, cast.acme.workspace_id, cast.acme.bot_id, name)
    return name


@pytest.fixture
def get(api: Api, host: str) -> Get:
    async def get_there(path: str, **headers: str) -> httpx2.Response:
        return await api(None).get(f"http://{host}{path}", headers=headers)

    return get_there


async def test_all_pages_are_below_the_root_and_name_the_host(
    client: Client, get: Get, host: str, cast: Cast
) -> None:
    group = await collect(client, "First steps")
    await publish(client, "Install", "Run the installer.", collectionId=group["id"])
    await publish_entry(client, "Exports")
    home = f"http://{host}"

    for path in ("/", "/articles/install", "/collections/first-steps", "/changelog", "/search?q=installer"):
        answer = await get(path)
        assert answer.status_code == 200, path
        # No link on the page points to the installation's own host.
        assert f"/help/{cast.acme.slug}" not in answer.text, path
        assert "help.test" not in answer.text, path
    page = Page((await get("/articles/install")).text)
    canonical = next(link for link in page.attributes("link") if link.get("rel") == "canonical")
    shared = next(meta for meta in page.attributes("meta") if meta.get("property") == "og:url")
    assert canonical["href"] == shared["content"] == f"{home}/articles/install"
    for path in ("/sitemap.xml", "/changelog.xml"):
        addresses = LISTED.findall((await get(path)).text)
        assert addresses
        assert all(address.startswith(f"{home}/") for address in addresses), path
    for path in (
        "/changelog.atom",
        "/changelog.json",
        "/llms.txt",
        "/opensearch.xml",
        "/articles/install.md",
    ):
        answer = await get(path)
        assert answer.status_code == 200, path
        assert home in answer.text, path
        assert "help.test" not in answer.text, path
    assert f"Sitemap: {home}/sitemap.xml" in (await get("/robots.txt")).text


async def test_versions_in_other_languages_name_each_other_at_the_host(
    client: Client, get: Get, host: str
) -> None:
    article = await publish(client, "Install", "Run the installer.")
    await publish(client, "Einrichten", "Starten Sie ihn.", locale="de", translationOf=article["id"])

    pages = [Page((await get(path)).text) for path in ("/articles/install", "/de/articles/einrichten")]

    versions = [
        {link["hreflang"]: link["href"] for link in page.attributes("link") if link.get("hreflang")}
        for page in pages
    ]
    assert versions[0] == versions[1]
    assert versions[0]["en"] == f"http://{host}/articles/install"
    assert versions[0]["de"] == f"http://{host}/de/articles/einrichten"


async def test_a_paused_company_keeps_its_host(
    client: Client, get: Get, host: str, cast: Cast, owner: Tx
) -> None:
    await publish(client, "Install", "Run the installer.")
    await pause_workspace(owner, cast.acme.workspace_id)

    assert (await get("/articles/install")).status_code == 200


async def test_links_of_texts_to_the_old_address_stay_at_the_host(
    client: Client, get: Get, cast: Cast
) -> None:
    slug = cast.acme.slug
    await publish(
        client,
        "Install",
        f"[Upgrade](/help/{slug}/articles/upgrade), [again](http://help.test/help/{slug}/articles/upgrade#a)"
        f" and [here](http://{slug}.acme.example/articles/upgrade#a).",
    )
    links = [link for link in Page((await get("/articles/install")).text).links if "upgrade" in link]
    assert links == [
        "/articles/upgrade",
        "/articles/upgrade#h-a",
        f"http://{slug}.acme.example/articles/upgrade#h-a",
    ]


async def test_former_addresses_answer_301_to_the_host(
    client: Client, api: Api, get: Get, cast: Cast, host: str
) -> None:
    await publish(client, "Install")
    slug = cast.acme.slug
    for path in ("", "articles/install", "de/articles/install?x=1", "search?q=a%26b", "sitemap.xml"):
        moved = await visit(api, f"{slug}/{path}")
        assert (moved.status_code, moved.headers["Location"]) == (301, f"http://{host}/{path}"), path
        # The same holds at the host itself, which texts may link to.
        again = await get(f"/help/{slug}/{path}")
        assert (again.status_code, again.headers["Location"]) == (301, f"http://{host}/{path}"), path
    form = await api(None).post(f"/help/{slug}/contact", data={"message": "Hello"})
    assert (form.status_code, form.headers["Location"]) == (308, f"http://{host}/contact")


async def test_redirects_of_an_earlier_help_center_work_at_the_host(
    client: Client, get: Get, host: str
) -> None:
    article = await publish(client, "Install")
    created = await client.post("/v1/redirects", json={"from": "/hc/articles/1", "articleId": article["id"]})
    assert created.status_code == 201, created.text
    moved = await get("/hc/articles/1")
    assert (moved.status_code, moved.headers["Location"]) == (301, f"http://{host}/articles/install")


async def test_nothing_but_the_help_center_is_at_the_host(
    client: Client, globex: Client, api: Api, get: Get, cast: Cast
) -> None:
    await publish(globex, "Secrets of Globex")
    # Loading an index for the first time drops cached pages.
    await globex.get("/v1/articles/search", params={"q": "secrets"})
    # Cached pages are served before anything else checks the URL.
    for page in ("", "articles/secrets-of-globex"):
        assert (await visit(api, f"{cast.globex.slug}/{page}")).status_code == 200
    picture = await upload(globex)
    paths = (
        *(
            "/app/",
            "/sign-in",
            "/v1/articles",
            "/v1/openapi.json",
            "/mcp/admin",
            "/chat",
            "/widget.js",
        ),
        *(
            "/oauth/token",
            "/domains/known",
            "/help",
            "/help/",
        ),
        f"/help/{cast.globex.slug}/",
        f"/help/{cast.globex.slug}/articles/secrets-of-globex",
        httpx2.URL(picture["url"]).path,
        "/articles/none",
    )
    for path in paths:
        answer = await get(path)
        assert answer.status_code == 404, path
        assert "Globex" not in answer.text, path
    # The page for a missing article offers the search of this help center.
    assert 'action="/search"' in (await get("/articles/none")).text


async def test_the_urls_of_every_interface_name_the_host(
    client: Client, visitor: Client, cast: Cast, host: str
) -> None:
    article = await publish(client, "Install", "Run the installer to begin with the product.")
    assert article["url"] == f"http://{host}/articles/install"
    hits = (await client.get("/v1/articles/search", params={"q": "installer"})).json()["results"]
    assert [hit["url"] for hit in hits] == [f"http://{host}/articles/install"]
    body = {"botId": str(cast.acme.bot_id), "botKey": cast.acme.bot_key, "visitor": "ann"}
    answer = await visitor.post("/chat", json={**body, "question": "How do I run the installer?"})
    assert answer.json()["sources"][0]["url"].startswith(f"http://{host}/articles/install")
    config = await visitor.get(f"/widget/{cast.acme.bot_id}/config", params={"botKey": cast.acme.bot_key})
    assert f"http://{host}" in config.text


async def test_a_visitor_signs_in_at_the_host(
    client: Client, api: Api, get: Get, owner: Tx, cast: Cast, host: str
) -> None:
    await publish(client, "The plan", "For signed-in eyes.", visibility="authenticated")
    token = sign(await secret_of(owner, cast.acme), claims())
    entered = await get(f"/sso?token={token}&next=/articles/the-plan")
    assert (entered.status_code, entered.headers["Location"]) == (303, "/articles/the-plan")
    cookie = entered.headers["Set-Cookie"].partition(";")[0]
    assert "signed-in eyes" in (await get("/articles/the-plan", Cookie=cookie)).text
    assert (await get("/articles/the-plan")).status_code == 404
    # No cache may keep the token together with its redirect.
    moved = await visit(api, f"{cast.acme.slug}/sso?token={token}")
    assert (moved.status_code, moved.headers["Cache-Control"]) == (301, "no-store")


async def test_a_form_is_taken_from_pages_of_the_host_only(client: Client, api: Api, host: str) -> None:
    await publish(client, "Install")
    for origin, status in ((f"http://{host}", 422), ("http://help.test", 403), ("http://evil.example", 403)):
        sent = await api(None).post(
            f"http://{host}/contact", data={"message": ""}, headers={"Origin": origin}
        )
        assert (sent.status_code == 403) == (status == 403), origin


async def test_pages_are_cached_by_host(client: Client, api: Api, get: Get, cast: Cast, owner: Tx) -> None:
    await publish(client, "Install", "Words. " * 300)
    first = await get("/articles/install")
    assert (await get("/articles/install", **{"If-None-Match": first.headers["ETag"]})).status_code == 304
    await change_domain(owner, cast.acme.workspace_id, cast.acme.bot_id, None)
    assert (await get("/articles/install")).status_code == 404
    plain = await visit(api, f"{cast.acme.slug}/articles/install")
    assert plain.status_code == 200
    assert f"http://help.test/help/{cast.acme.slug}/articles/install" in plain.text


async def test_a_host_costs_a_page_no_statement(
    client: Client, get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    await publish(client, "Install", "Words. " * 300)
    await client.get("/v1/articles/search", params={"q": "words"})
    await get("/articles/install")
    statements: list[str] = []
    monkeypatch.setattr(Tx, "send", counted(Tx.send, statements))
    assert (await get("/articles/install")).status_code == 200
    assert len(statements) == 1


async def test_hosts_that_nobody_has_named_show_what_they_showed(
    client: Client, api: Api, cast: Cast
) -> None:
    await publish(client, "Install")
    for name in ("127.0.0.1", "localhost", "other.example", "[::1]"):
        answer = await api(None).get(f"http://{name}/help/{cast.acme.slug}/articles/install")
        assert answer.status_code == 200, name


async def test_only_a_trusted_proxy_may_name_the_host(
    client: Client, app: FastAPI, api: Api, host: str, set_setting: SetSetting
) -> None:
    await publish(client, "Install")
    named = {"X-Forwarded-Host": f"evil.example, {host}"}
    assert (await api(None).get("/articles/install", headers=named)).status_code == 404
    set_setting("INSTEP_TRUSTED_PROXIES", "127.0.0.1")
    app.state.settings = settings()
    assert (await api(None).get("/articles/install", headers=named)).status_code == 200


async def test_a_proxy_learns_whether_a_host_is_known_and_nothing_else(api: Api, host: str) -> None:
    for name, status in ((host, 200), (host.upper(), 200), ("other.example", 404), ("", 404), ("a\0.b", 404)):
        answer = await api(None).get("/domains/known", params={"domain": name})
        assert (answer.status_code, answer.content) == (status, b""), name


async def test_a_host_is_one_help_centers_whichever_way_it_is_written(owner: Tx, cast: Cast) -> None:
    acme, globex = cast.acme, cast.globex
    name = f"Hilfe.{acme.slug}.Bücher.example."
    row = await change_domain(owner, acme.workspace_id, acme.bot_id, name)
    assert row.domain == f"hilfe.{acme.slug}.xn--bcher-kva.example"
    with pytest.raises(InvalidRequest, match="Another help center"):
        await change_domain(owner, globex.workspace_id, globex.bot_id, row.domain)
    await change_domain(owner, acme.workspace_id, acme.bot_id, None)
    assert (await change_domain(owner, globex.workspace_id, globex.bot_id, row.domain)).domain == row.domain


@pytest.mark.parametrize(
    "name",
    [
        *("help.test", "HELP.TEST", "localhost", "127.0.0.1", "1.2.3", "[::1]", "::1", "https://a.example"),
        *("a.example/path", "a.example:8000", "a b.example", "-a.example", "a..example", "printer.local"),
        *("*.example", f"{'a' * 64}.example", f"{'a.' * 130}example", "a_b.example", "xn--a.example", "."),
    ],
)
async def test_invalid_custom_domains_are_refused(owner: Tx, cast: Cast, name: str) -> None:
    with pytest.raises(InvalidRequest):
        await change_domain(owner, cast.acme.workspace_id, cast.acme.bot_id, name)


async def test_other_spellings_lead_to_the_one_address_at_the_host(client: Client, get: Get) -> None:
    await publish(client, "Install")

    for path in ("/articles/install/", "//articles//install"):
        assert (await get(path)).headers["Location"] == "/articles/install"
