"""Link previews of pages: canonical URLs, Open Graph, and the generated picture."""

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from instep.interfaces.site.cards import HEIGHT, WIDTH, Card, draw_card, title_lines
from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast, Client
from tests.support.changelog_entries import publish_entry
from tests.support.site_pages import Page, collect, publish, set_article, visit

LONG = "A very long title that tells everything there is to be told about a subject " * 3


def properties(html: str) -> dict[str, str]:
    """A page's Open Graph properties and its canonical URL."""
    page = Page(html)
    named = {
        meta["property"]: meta["content"] or "" for meta in page.attributes("meta") if "property" in meta
    }
    canonical = [link["href"] or "" for link in page.attributes("link") if link.get("rel") == "canonical"]
    return {name or "": value for name, value in named.items()} | {"canonical": " ".join(canonical)}


def colours(picture: bytes, box: tuple[int, int, int, int]) -> set[tuple[int, ...]]:
    image = Image.open(BytesIO(picture)).convert("RGB").crop(box)
    return {colour for _, colour in image.getcolors(1_000_000) or [] if isinstance(colour, tuple)}


async def test_an_article_names_its_address_and_its_picture(client: Client, api: Api, cast: Cast) -> None:
    group = await collect(client, "First steps")
    article = await publish(client, "Install", collectionId=group["id"], description="In a minute.")

    said = properties((await visit(api, f"{cast.acme.slug}/articles/install?x=1")).text)

    image_url = said.pop("og:image")
    assert said == {
        "canonical": article["url"],
        "og:title": "Install",
        "og:type": "article",
        "og:url": article["url"],
        "og:site_name": "Acme",
        "og:locale": "en_US",
        "og:description": "In a minute.",
        "og:image:width": "1200",
        "og:image:height": "630",
        "og:image:alt": "Install",
    }
    picture = await api(None).get(image_url)
    assert picture.headers["content-type"] == "image/png"
    assert picture.headers["cache-control"] == "public, max-age=31536000, s-maxage=300, immutable"
    assert Image.open(BytesIO(picture.content)).size == (1200, 630)


async def test_a_new_title_has_a_new_address_and_the_old_one_is_gone(
    client: Client, api: Api, cast: Cast
) -> None:
    article = await publish(client, "Install")
    path = f"{cast.acme.slug}/articles/install"
    before = properties((await visit(api, path)).text)["og:image"]
    await client.patch(f"/v1/articles/{article['id']}", json={"title": "Set up", "slug": "install"})

    after = properties((await visit(api, path)).text)["og:image"]

    assert after != before
    assert [(await api(None).get(url)).status_code for url in (before, after)] == [404, 200]


@pytest.mark.parametrize("hide", ["status = 'draft'", "visibility = 'authenticated'", "deleted_at = now()"])
async def test_the_picture_of_an_article_that_is_not_public_is_gone(
    client: Client, api: Api, cast: Cast, owner: Tx, hide: str
) -> None:
    article = await publish(client, "Install")
    url = properties((await visit(api, f"{cast.acme.slug}/articles/install")).text)["og:image"]
    assert (await api(None).get(url)).status_code == 200
    await set_article(owner, article, hide)

    assert (await api(None).get(url)).status_code == 404


async def test_pictures_of_other_words_are_not_drawn(client: Client, api: Api, cast: Cast) -> None:
    await publish(client, "Install")

    for path in ("cards/install/0123456789abcdef0123.png", "cards/0123456789abcdef0123.png", "cards/x/y.png"):
        assert (await visit(api, f"{cast.acme.slug}/{path}")).status_code == 404


async def test_pages_name_their_one_address(client: Client, api: Api, cast: Cast) -> None:
    root = await publish(client, "Install", collectionId=(await collect(client, "First steps"))["id"])
    await publish(
        client, "Einrichten", locale="de", translationOf=root["id"], collectionId=root["collectionId"]
    )
    entry = await publish_entry(client, "Exports")
    here = f"http://help.test/help/{cast.acme.slug}"
    addresses = {
        "": f"{here}/",
        "de/": f"{here}/de/",
        "de/articles/einrichten": f"{here}/de/articles/einrichten",
        "collections/first-steps": f"{here}/collections/first-steps",
        "de/collections/first-steps": f"{here}/de/collections/first-steps",
        "changelog": f"{here}/changelog",
        "de/changelog": f"{here}/changelog",
        "changelog/exports": entry["url"],
    }

    for path, address in addresses.items():
        said = properties((await visit(api, f"{cast.acme.slug}/{path}")).text)
        assert (said["canonical"], said["og:url"]) == (address, address), path
    german = properties((await visit(api, f"{cast.acme.slug}/de/")).text)
    assert german["og:locale"] == "de_DE"
    assert (await api(None).get(german["og:image"])).status_code == 200


async def test_search_ask_and_contact_pages_have_no_canonical_url(
    client: Client, api: Api, cast: Cast
) -> None:
    await publish(client, "Install")

    for path in ("search?q=install", "ask", "contact"):
        assert properties((await visit(api, f"{cast.acme.slug}/{path}")).text) == {"canonical": ""}


async def test_a_title_that_no_font_can_write_has_no_picture(client: Client, api: Api, cast: Cast) -> None:
    await publish(client, "請求書", slug="invoices")

    said = properties((await visit(api, f"{cast.acme.slug}/articles/invoices")).text)

    assert said["og:title"] == "請求書"
    assert "og:image" not in said


def test_a_card_shows_its_accent_where_lines_begin() -> None:
    red = (0xB3, 0x26, 0x1E)
    start, end = (0, 0, 10, HEIGHT), (WIDTH - 10, 0, WIDTH, HEIGHT)

    english = draw_card(Card("Install", "Guides", "Acme", "en", "#b3261e"))
    hebrew = draw_card(Card("", "", "", "he", "#b3261e"))

    assert (colours(english, start), colours(english, end)) == ({red}, {(255, 255, 255)})
    assert (colours(hebrew, start), colours(hebrew, end)) == ({(255, 255, 255)}, {red})


@pytest.mark.parametrize("title", [LONG, "x" * 300, "ß", "a " * 200, "Łódź " * 30])
def test_a_title_keeps_within_the_card(title: str) -> None:
    card = Card(title.strip(), LONG, LONG, "en", None)

    _, lines = title_lines(card)

    assert 1 <= len(lines) <= 3
    margin = colours(draw_card(card), (WIDTH - 70, 0, WIDTH, HEIGHT))
    assert margin == {(255, 255, 255)}


def test_a_file_that_is_no_font_is_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "font.ttf"
    file.write_text("not a font")

    assert Card("Install", "", "Acme", "en", None, (str(file),)).is_drawable
    assert not Card("請求書", "", "Acme", "ja", None, (str(file),)).is_drawable


def test_a_card_says_with_its_digest_what_it_says() -> None:
    card = Card("Install", "Guides", "Acme", "en", None)
    others = [
        Card("Installs", "Guides", "Acme", "en", None),
        Card("Install", "Guide", "Acme", "en", None),
        Card("Install", "Guides", "Acme", "en", "#b3261e"),
        Card("Install", "GuidesAcme", "", "en", None),
        Card("Install", "Guides", "Acme", "de", None),
    ]

    assert len({card.digest, *(other.digest for other in others)}) == 6
