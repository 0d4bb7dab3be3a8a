"""Only visitors with a token from the customer's server read pages for signed-in visitors."""

from http.cookies import SimpleCookie

import httpx2
import pytest

from instep.accounts.workspaces.actions import pause_workspace
from instep.platform.core import limits
from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast, Client
from tests.support.site_pages import Page, collect, publish, visit
from tests.support.uploads import upload
from tests.support.visitor_tokens import claims, now, secret_of, sign

SECRET_WORD = "kookaburra"


async def enter(api: Api, cast: Cast, token: str, next_path: str = "") -> httpx2.Response:
    return await api(None).get(
        f"/help/{cast.acme.slug}/sso", params={"token": token, **({"next": next_path} if next_path else {})}
    )


async def signed_in(api: Api, cast: Cast, owner: Tx) -> str:
    """The `Cookie` header of a visitor who has just signed in."""
    answer = await enter(api, cast, sign(await secret_of(owner, cast.acme), claims()))
    assert answer.status_code == 303, answer.text
    return cookie_of(answer)


def cookie_of(answer: httpx2.Response) -> str:
    return "; ".join(
        f"{name}={morsel.value}" for name, morsel in SimpleCookie(answer.headers["Set-Cookie"]).items()
    )


async def private_article(client: Client, **fields: object) -> str:
    article = await publish(
        client,
        f"The {SECRET_WORD} plan",
        f"Ask for the {SECRET_WORD} rebate.",
        visibility="authenticated",
        **fields,
    )
    slug: str = article["slug"]
    return slug


async def test_signed_in_visitor_finds_private_articles_and_strangers_do_not(
    client: Client, api: Api, cast: Cast, owner: Tx
) -> None:
    group = await collect(client, "Contracts", visibility="authenticated")
    slug = await private_article(client, collectionId=group["id"])
    paths = [
        f"{cast.acme.slug}/",
        f"{cast.acme.slug}/collections/contracts",
        f"{cast.acme.slug}/articles/{slug}",
        f"{cast.acme.slug}/articles/{slug}.md",
        f"{cast.acme.slug}/search?q=rebate",
        f"{cast.acme.slug}/ask?q=What+is+the+{SECRET_WORD}+rebate",
    ]
    cookie = await signed_in(api, cast, owner)

    for path in paths:
        stranger, member = await visit(api, path), await visit(api, path, Cookie=cookie)
        assert slug not in stranger.text, path
        assert member.status_code == 200, path
        assert SECRET_WORD in member.text.lower(), path
        assert member.headers["Cache-Control"] == "no-store", path
        assert "noindex" in member.headers["X-Robots-Tag"], path
    assert (await visit(api, paths[2])).status_code == 404


async def test_lists_for_programs_have_no_private_article_even_after_a_sign_in(
    client: Client, api: Api, cast: Cast, owner: Tx
) -> None:
    await private_article(client)
    cookie = await signed_in(api, cast, owner)

    for name in ("llms.txt", "llms-full.txt", "sitemap.xml", "changelog.xml", f"suggestions?q={SECRET_WORD}"):
        answer = await visit(api, f"{cast.acme.slug}/{name}", Cookie=cookie)
        assert f"{SECRET_WORD}-plan" not in answer.text, name


async def test_a_file_of_an_article_for_signed_in_visitors_is_shown_to_them_alone(
    client: Client, api: Api, cast: Cast, owner: Tx
) -> None:
    file = await upload(client)
    await publish(client, "Picture", f"![A chart]({file['url']})", visibility="authenticated")
    cookie = await signed_in(api, cast, owner)
    path = httpx2.URL(file["url"]).path

    assert (await api(None).get(path)).status_code == 404
    shown = await api(None).get(path, headers={"Cookie": cookie})
    assert (shown.status_code, shown.headers["Cache-Control"].split(",")[0]) == (200, "private")


async def test_the_session_opens_one_help_center_only(api: Api, cast: Cast, owner: Tx) -> None:
    await private_article(api(cast.globex.write_key))
    cookie = await signed_in(api, cast, owner)
    stolen = cookie.replace(cast.acme.bot_id.hex, cast.globex.bot_id.hex)

    for header in (cookie, stolen):
        page = await visit(api, f"{cast.globex.slug}/articles/the-{SECRET_WORD}-plan", Cookie=header)
        assert page.status_code == 404


async def test_a_new_secret_ends_sessions_and_signing_out_ends_one(
    client: Client, api: Api, cast: Cast, owner: Tx
) -> None:
    slug = await private_article(client)
    cookie, path = await signed_in(api, cast, owner), f"{cast.acme.slug}/articles/{slug}"
    assert "Sign out" in Page((await visit(api, path, Cookie=cookie)).text).text

    left = await api(None).post(f"/help/{cast.acme.slug}/sign-out", headers={"Cookie": cookie})
    assert (left.status_code, left.headers["Location"]) == (303, f"/help/{cast.acme.slug}/")
    assert "Max-Age=0" in left.headers["Set-Cookie"]

    await secret_of(owner, cast.acme, rotate=True)
    assert (await visit(api, path, Cookie=cookie)).status_code == 404


async def test_only_a_short_token_of_this_bot_signs_in(api: Api, cast: Cast, owner: Tx) -> None:
    secret, foreign = await secret_of(owner, cast.acme), await secret_of(owner, cast.globex)
    too_long = now() + limits.MAX_SIGN_IN_TOKEN_SECONDS + 60
    tokens = [
        "",
        "no.jwt.atall",
        sign(foreign, claims()),
        sign(secret, claims(), algorithm="none"),
        sign(secret, claims(exp=now() - 3600)),
        sign(secret, claims(exp=too_long)),
        sign(secret, claims(sub=" ")),
    ]

    for token in tokens:
        refused = await enter(api, cast, token)
        assert refused.status_code == 400, token
        assert "Set-Cookie" not in refused.headers
        assert "your account" in Page(refused.text).text


async def test_a_link_opens_as_often_as_it_is_clicked_until_it_is_over(
    api: Api, cast: Cast, owner: Tx
) -> None:
    """Mail programs and browsers prefetch links, so a later click must still sign the visitor in."""
    token = sign(await secret_of(owner, cast.acme), claims())

    assert [(await enter(api, cast, token)).status_code for _ in range(2)] == [303, 303]


async def test_visitors_of_a_paused_company_sign_in_and_read(
    client: Client, api: Api, cast: Cast, owner: Tx
) -> None:
    slug = await private_article(client)
    await pause_workspace(owner, cast.acme.workspace_id)

    cookie = await signed_in(api, cast, owner)

    assert (await visit(api, f"{cast.acme.slug}/articles/{slug}", Cookie=cookie)).status_code == 200


@pytest.mark.parametrize(
    ("sent", "target"),
    [
        ("articles/install#linux", "articles/install#linux"),
        ("search?q=refund", "search?q=refund"),
        ("../../app/", ""),
        ("/evil.example/", ""),
        ("\\evil", ""),
    ],
)
async def test_sign_in_leads_only_to_pages_of_the_help_center(
    api: Api, cast: Cast, owner: Tx, sent: str, target: str
) -> None:
    home = f"/help/{cast.acme.slug}/"

    answer = await enter(api, cast, sign(await secret_of(owner, cast.acme), claims()), home + sent)

    assert answer.headers["Location"] == home + target
    assert answer.headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize("address", ["https://evil.example/", "//evil.example/", "/app/"])
async def test_an_address_elsewhere_leads_home(api: Api, cast: Cast, owner: Tx, address: str) -> None:
    answer = await enter(api, cast, sign(await secret_of(owner, cast.acme), claims()), address)

    assert answer.headers["Location"] == f"/help/{cast.acme.slug}/"
