"""Articles without a translation, in a help center that shows them in its default language."""

import re

import pytest

from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast, Client, Json
from tests.support.http import create_article
from tests.support.mcp import ask as ask_tool
from tests.support.questions import ask, titles
from tests.support.site_pages import Page, collect, publish, set_article, visit

TITLE = "Rotate the signing keys"
SETTING = "update bots set frame = frame || jsonb_build_object('shows_untranslated', %(is_on)s::boolean)"


@pytest.fixture
async def article(client: Client, owner: Tx) -> Json:
    """An English article in a help center that also has a French one."""
    group = await collect(client, "Security")
    await publish(client, "Installer", locale="fr", collectionId=group["id"])
    english = await publish(client, TITLE, "Open the vault page.", collectionId=group["id"])
    await show_untranslated(owner)
    return english


async def show_untranslated(owner: Tx, *, is_on: bool = True) -> None:
    await owner.execute(SETTING, is_on=is_on)


def element(html: str, name: str) -> str:
    match = re.search(rf"<{name}\b[^>]*>", html)
    return match[0] if match else ""


async def test_the_original_is_shown_in_the_frame_of_the_other_language(
    article: Json, api: Api, cast: Cast
) -> None:
    french = await visit(api, f"{cast.acme.slug}/fr/articles/{article['slug']}")

    html = french.text
    assert french.status_code == 200
    assert (element(html, "html"), element(html, "h1")) == (
        '<html lang="fr" dir="ltr">',
        '<h1 lang="en" dir="ltr">',
    )
    assert '<div class="prose" lang="en" dir="ltr">' in html
    assert "traduit" in Page(html).text
    assert "anglais" in Page(html).text
    original = f"http://help.test/help/{cast.acme.slug}/articles/{article['slug']}"
    links = Page(html).attributes("link")
    assert [link["href"] for link in links if link["rel"] == "canonical"] == [original]
    assert not [link for link in links if "hreflang" in link]
    text = await visit(api, f"{cast.acme.slug}/fr/articles/{article['slug']}.md")
    assert (text.status_code, text.headers["Content-Language"]) == (200, "en")
    assert text.text.startswith(f"# {TITLE}\n\n> Cet article")
    assert f'<{original}>; rel="canonical"' in text.headers["Link"]


async def test_lists_and_searches_contain_it_marked_with_its_language(
    article: Json, api: Api, cast: Cast
) -> None:
    path = f"/help/{cast.acme.slug}/fr/articles/{article['slug']}"
    link = f'<a href="{path}" lang="en" dir="ltr">{TITLE}</a>'
    for page in ("", "collections/security", "search?q=vault"):
        shown = await visit(api, f"{cast.acme.slug}/fr/{page}")
        assert link in shown.text, page
        assert "anglais" in shown.text, page
    answer = await ask(api(None), cast.acme, "How do I rotate the signing keys?", locale="fr")
    matches = await visit(api, f"{cast.acme.slug}/fr/matches?q=vault")
    assert [match["path"] for match in matches.json()["articles"]] == [path]
    assert titles(answer) == [TITLE]
    found = await ask_tool(api(None), cast.acme, "search_docs", {"query": "vault", "locale": "fr"})
    assert [hit["articleId"] for hit in found["results"]] == [article["id"]]
    switch = (await visit(api, f"{cast.acme.slug}/articles/{article['slug']}")).text
    assert path in Page(switch).links
    assert f'hreflang="fr" href="http://help.test{path}"' not in switch
    sitemap = (await visit(api, f"{cast.acme.slug}/sitemap.xml")).text
    assert path not in sitemap


async def test_related_articles_contain_it_in_the_frame_of_the_language(
    article: Json, client: Client, api: Api, cast: Cast
) -> None:
    other = await publish(client, f"{TITLE} of a vault", "Open the vault page.")
    await client.get("/v1/articles/search", params={"q": "vault"})

    page = await visit(api, f"{cast.acme.slug}/fr/articles/{article['slug']}")

    path = f"/help/{cast.acme.slug}/fr/articles/{other['slug']}"
    nav = re.search(r'<nav class="related".*?</nav>', page.text, re.DOTALL)
    assert nav
    assert f'<a href="{path}" lang="en" dir="ltr">' in nav[0]


async def test_a_translation_takes_its_place_at_once(
    article: Json, client: Client, api: Api, cast: Cast
) -> None:
    path = f"{cast.acme.slug}/fr/articles/{article['slug']}"
    assert TITLE in (await visit(api, path)).text

    await publish(client, "Renouveler", locale="fr", translationOf=article["id"])

    moved = await visit(api, path)
    assert moved.status_code == 301
    assert moved.headers["Location"].endswith("/fr/articles/renouveler")
    assert TITLE not in (await visit(api, f"{cast.acme.slug}/fr/")).text
    assert TITLE not in (await visit(api, f"{cast.acme.slug}/fr/search?q=vault")).text


async def test_the_address_of_an_unpublished_translation_leads_to_the_original_until_it_is_back(
    article: Json, client: Client, api: Api, cast: Cast, owner: Tx
) -> None:
    french = await publish(client, "Renouveler", locale="fr", translationOf=article["id"])
    path = f"{cast.acme.slug}/fr/articles/{french['slug']}"
    await client.post(f"/v1/articles/{french['id']}/unpublish")

    moved = await visit(api, path)
    assert moved.status_code == 301
    assert moved.headers["Location"].endswith(f"/fr/articles/{article['slug']}")
    await show_untranslated(owner, is_on=False)
    assert (await visit(api, path)).status_code == 404

    await client.post(f"/v1/articles/{french['id']}/publish")
    assert (await visit(api, path)).status_code == 200


async def test_the_address_of_a_translation_that_was_never_published_leads_nowhere(
    article: Json, client: Client, api: Api, cast: Cast
) -> None:
    french = await create_article(client, "Renouveler", locale="fr", translationOf=article["id"])
    assert (await visit(api, f"{cast.acme.slug}/fr/articles/{french['slug']}")).status_code == 404


async def test_former_addresses_of_the_original_lead_to_it(
    article: Json, client: Client, api: Api, cast: Cast
) -> None:
    await client.patch(f"/v1/articles/{article['id']}", json={"slug": "new-keys"})

    moved = await visit(api, f"{cast.acme.slug}/fr/articles/{article['slug']}")

    assert moved.status_code == 301
    assert moved.headers["Location"].endswith("/fr/articles/new-keys")


@pytest.mark.parametrize("hide", ["visibility = 'authenticated'", "status = 'draft'"])
async def test_untranslated_article_keeps_its_visibility(
    article: Json, api: Api, cast: Cast, owner: Tx, client: Client, hide: str
) -> None:
    await set_article(owner, article, hide)
    await publish(client, "Unlinked", locale="fr")

    for page in ("", f"articles/{article['slug']}", f"articles/{article['slug']}.md", "search?q=vault"):
        assert TITLE not in (await visit(api, f"{cast.acme.slug}/fr/{page}")).text, page


async def test_nothing_is_shown_without_the_setting_or_in_a_language_without_articles(
    article: Json, api: Api, cast: Cast, owner: Tx
) -> None:
    slug = article["slug"]
    assert (await visit(api, f"{cast.acme.slug}/es/articles/{slug}")).status_code == 404
    assert (await visit(api, f"{cast.acme.slug}/es/")).status_code == 404

    await show_untranslated(owner, is_on=False)

    assert (await visit(api, f"{cast.acme.slug}/fr/articles/{slug}")).status_code == 404
    assert TITLE not in (await visit(api, f"{cast.acme.slug}/fr/")).text
    assert TITLE not in (await visit(api, f"{cast.acme.slug}/fr/search?q=vault")).text
