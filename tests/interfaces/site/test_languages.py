"""The help center in the languages of its articles, with a URL per page and language."""

import re

import pytest

from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast, Client
from tests.support.changelog_entries import publish_entry
from tests.support.site_pages import Page, collect, publish, set_article, visit

SWITCHER = re.compile(r'<nav class="choice" aria-label="([^"]+)">(.*?)</nav>', re.DOTALL)


def languages_of(html: str) -> dict[str, str]:
    """The links of the language switcher, by language name."""
    switcher = SWITCHER.search(html)
    links = re.findall(r'<a href="([^"]+)"[^>]*>([^<]+)</a>', switcher[2]) if switcher else []
    return {name: path for path, name in links}


async def translated(client: Client) -> str:
    """Publish an article and its German translation in one collection; return the collection's id."""
    group = await collect(client, "First steps")
    root = await publish(client, "Install", collectionId=group["id"])
    await publish(client, "Einrichten", locale="de", translationOf=root["id"], collectionId=group["id"])
    return str(group["id"])


async def test_the_home_page_is_there_in_every_language_of_live_articles(
    client: Client, api: Api, cast: Cast
) -> None:
    await translated(client)
    await publish(client, "Only in English")

    german = await visit(api, f"{cast.acme.slug}/de/")

    assert german.status_code == 200
    page = Page(german.text)
    assert page.attributes("html") == [{"lang": "de", "dir": "ltr"}]
    assert "Zum Inhalt springen" in page.text
    assert "Einrichten" in page.text
    assert "Only in English" not in page.text
    below = [link for link in page.links if link.startswith(f"/help/{cast.acme.slug}/")]
    assert all(
        link.startswith(f"/help/{cast.acme.slug}/de/") for link in below if link != f"/help/{cast.acme.slug}/"
    )


async def test_every_link_of_a_page_in_another_language_leads_to_a_page(
    client: Client, visitor: Client, api: Api, cast: Cast
) -> None:
    await translated(client)
    await publish_entry(client, "Exports")
    root = f"/help/{cast.acme.slug}/de"
    pages_by_path: dict[str, str] = {}
    paths = {f"{root}/", f"{root}/contact", f"{root}/search?q=einrichten", f"{root}/ask"}
    while fresh := paths - pages_by_path.keys():
        path = fresh.pop()
        answer = await visitor.get(path)
        assert answer.status_code == 200, path
        pages_by_path[path] = answer.text
        paths |= {link for link in Page(answer.text).links if link.startswith(root)}

    assert {f"{root}/articles/einrichten", f"{root}/collections/first-steps", f"{root}/changelog"} <= paths
    for path, html in pages_by_path.items():
        assert (' xml:lang="de"' if path.endswith(".atom") else '<html lang="de"') in html, path
        assert "Skip to content" not in html, path


@pytest.mark.parametrize(
    "path", ["", "changelog", "contact", "ask", "search?q=install", "collections/first-steps"]
)
async def test_the_switcher_leads_to_the_same_page(client: Client, api: Api, cast: Cast, path: str) -> None:
    await translated(client)

    html = (await visit(api, f"{cast.acme.slug}/{path}")).text

    here = f"/help/{cast.acme.slug}"
    assert languages_of(html) == {"English": f"{here}/{path}", "Deutsch": f"{here}/de/{path}"}
    german = (await visit(api, f"{cast.acme.slug}/de/{path}")).text
    assert languages_of(german) == languages_of(html)
    switcher = SWITCHER.search(german)
    assert switcher is not None
    assert switcher[1] == "Sprache"
    assert 'lang="de" hreflang="de" dir="ltr" aria-current="page">Deutsch' in switcher[2]


async def test_the_tree_beside_a_collection_lists_what_its_language_has(
    client: Client, api: Api, cast: Cast
) -> None:
    await translated(client)
    await publish(client, "Prices", collectionId=(await collect(client, "Only in English"))["id"])
    german_group = await collect(client, "Nur auf Deutsch")
    await publish(client, "Preise", locale="de", collectionId=german_group["id"])

    page = Page((await visit(api, f"{cast.acme.slug}/de/collections/first-steps")).text)

    here = f"/help/{cast.acme.slug}/de/collections"
    assert page.links_in("nav", "Artikel") == [f"{here}/first-steps", f"{here}/nur-auf-deutsch"]


async def test_from_an_article_it_leads_to_its_translations_or_else_to_the_home_page(
    client: Client, api: Api, cast: Cast
) -> None:
    await translated(client)
    await publish(client, "Loose", locale="fr")

    html = (await visit(api, f"{cast.acme.slug}/articles/install")).text

    here = f"/help/{cast.acme.slug}"
    assert languages_of(html) == {
        "English": f"{here}/articles/install",
        "Deutsch": f"{here}/de/articles/einrichten",
        "Français": f"{here}/fr/",
    }


async def test_a_help_center_with_one_language_has_no_switcher(client: Client, api: Api, cast: Cast) -> None:
    await publish(client, "Install")

    assert SWITCHER.search((await visit(api, f"{cast.acme.slug}/")).text) is None


@pytest.mark.parametrize("hide", ["status = 'draft'", "visibility = 'authenticated'", "deleted_at = now()"])
async def test_a_language_of_texts_that_are_not_public_is_named_nowhere(
    client: Client, api: Api, cast: Cast, owner: Tx, hide: str
) -> None:
    await publish(client, "Install")
    await set_article(owner, await publish(client, "Asenna", locale="fi"), hide)

    home = await visit(api, f"{cast.acme.slug}/")

    assert "/fi/" not in home.text
    assert (await visit(api, f"{cast.acme.slug}/fi/")).status_code == 404


async def test_a_language_of_a_hidden_collection_is_named_nowhere(
    client: Client, api: Api, cast: Cast
) -> None:
    await publish(client, "Install")
    group = await collect(client, "Inside", visibility="authenticated")
    await publish(client, "Asenna", locale="fi", collectionId=group["id"])

    assert "/fi/" not in (await visit(api, f"{cast.acme.slug}/")).text


async def test_home_pages_name_each_other_to_search_engines(client: Client, api: Api, cast: Cast) -> None:
    await translated(client)
    here = f"http://help.test/help/{cast.acme.slug}"
    names = {"en": f"{here}/", "de": f"{here}/de/", "x-default": f"{here}/"}

    for path in ("", "de/"):
        links = Page((await visit(api, f"{cast.acme.slug}/{path}")).text).attributes("link")
        alternates = {link["hreflang"]: link["href"] for link in links if "hreflang" in link}
        assert alternates == names


@pytest.mark.parametrize(
    ("path", "usual"),
    [
        ("DE/", "de/"),
        ("en/", ""),
        ("en/collections/first-steps", "collections/first-steps"),
        ("DE/changelog", "de/changelog"),
    ],
)
async def test_another_spelling_of_a_language_leads_to_the_usual_one(
    client: Client, api: Api, cast: Cast, path: str, usual: str
) -> None:
    await translated(client)

    answer = await visit(api, f"{cast.acme.slug}/{path}")

    assert (answer.status_code, answer.headers["location"]) == (301, f"/help/{cast.acme.slug}/{usual}")


@pytest.mark.parametrize("path", ["de/nothing", "de/articles/nothing", "de/x/y"])
async def test_a_missing_page_is_told_in_the_language_of_its_address(api: Api, cast: Cast, path: str) -> None:
    answer = await visit(api, f"{cast.acme.slug}/{path}")

    assert answer.status_code == 404
    assert '<html lang="de"' in answer.text
    assert "dieser Adresse" in answer.text
    assert f'action="/help/{cast.acme.slug}/de/search"' in answer.text


async def test_a_missing_page_is_told_in_the_language_of_the_help_center(
    api: Api, cast: Cast, owner: Tx
) -> None:
    await owner.execute("update bots set locale = 'ar' where id = %(id)s", id=cast.acme.bot_id)

    answers = [await visit(api, f"{cast.acme.slug}/{path}") for path in ("articles/nothing", "x/y/z/w")]

    for answer in answers:
        assert '<html lang="ar" dir="rtl">' in answer.text
        assert "هذا العنوان" in answer.text


async def test_errors_are_in_the_language_of_the_page(client: Client, visitor: Client, cast: Cast) -> None:
    root = f"/help/{cast.acme.slug}/fr"

    searched = await visitor.get(f"{root}/search", params={"q": "x" * 501})
    asked = await visitor.get(f"{root}/ask", params={"q": "x" * 2001})
    wrote = await visitor.post(f"{root}/contact", data={"email": "ann"})
    rated = await visitor.post(f"{root}/feedback", data={"helpful": "perhaps"})

    assert "Cherchez 500 caractères au plus." in searched.text
    assert "caractères au plus" in asked.text
    assert "Saisissez une adresse e-mail" in wrote.text
    assert "encore une fois" in rated.text


async def test_rating_and_writing_stay_in_the_language(client: Client, visitor: Client, cast: Cast) -> None:
    await translated(client)
    root = f"/help/{cast.acme.slug}/de"
    html = (await visitor.get(f"{root}/articles/einrichten")).text
    article = re.search(r'name="article" value="([^"]+)"', html)
    assert article is not None

    rated = await visitor.post(f"{root}/feedback", data={"article": article[1], "helpful": "no"})
    reason = await visitor.get(rated.headers["location"])

    assert rated.headers["location"].startswith(f"{root}/feedback?")
    assert "Er ist veraltet" in reason.text


async def test_entries_say_in_which_language_they_are(client: Client, api: Api, cast: Cast) -> None:
    await publish_entry(client, "Exports")

    english = (await visit(api, f"{cast.acme.slug}/changelog")).text
    arabic = (await visit(api, f"{cast.acme.slug}/ar/changelog")).text
    entry = (await visit(api, f"{cast.acme.slug}/ar/changelog/exports")).text

    assert '<html lang="ar" dir="rtl">' in arabic
    assert '<h2 lang="en" dir="ltr">' in arabic
    assert '<h1 lang="en" dir="ltr">Exports</h1>' in entry
    assert "<h2><a" in english


async def test_a_locale_without_a_catalogue_has_english_words(client: Client, api: Api, cast: Cast) -> None:
    await publish(client, "Installeren", locale="nl")

    html = (await visit(api, f"{cast.acme.slug}/nl/")).text

    assert '<html lang="nl"' in html
    assert "Skip to content" in html
    assert set(languages_of(html)) == {"English", "Nederlands"}


async def test_feeds_are_titled_in_the_help_centers_language(
    client: Client, api: Api, cast: Cast, owner: Tx
) -> None:
    await publish_entry(client, "Exporte")
    await owner.execute("update bots set locale = 'de' where id = %(id)s", id=cast.acme.bot_id)

    texts = [
        (await visit(api, f"{cast.acme.slug}/{name}")).text
        for name in ("changelog.xml", "changelog.atom", "changelog.json")
    ]

    assert all("Änderungen: Acme" in text for text in texts)


async def test_alerts_are_titled_in_the_language_of_their_page(client: Client, api: Api, cast: Cast) -> None:
    text = (
        "> [!WARNING]\n> Nicht ausschalten.\n\n> [!NOTE] Caution\n> So hei\u00dft der Knopf.\n\n    Warning\n"
    )
    await publish(client, "Einrichten", text, locale="de")

    html = (await visit(api, f"{cast.acme.slug}/de/articles/einrichten")).text

    titles = re.findall(r'<p class="markdown-alert-title">([^<]*)</p>', html)
    assert titles == ["Warnung", "Vorsicht"]
