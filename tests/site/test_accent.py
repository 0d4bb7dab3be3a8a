"""The accent colour of a bot: its pages link to a style sheet whose address names the colours."""

import pytest

from instep.core.database import Tx
from tests.site.pages import visit
from tests.support.cast import Api, Cast, Client

PATH = "/static/accents/6c5a00-ffe680.css"


@pytest.fixture
async def coloured_slug(owner: Tx, cast: Cast) -> str:
    await owner.execute(
        """
        update bots set accent = '#ffe680', accent_light = '#6c5a00', accent_dark = '#ffe680'
        where id = %(id)s
        """,
        id=cast.acme.bot_id,
    )
    return cast.acme.slug


async def test_pages_of_a_bot_with_an_accent_link_to_its_style_after_the_sites(
    api: Api, cast: Cast, coloured_slug: str
) -> None:
    coloured = await visit(api, f"{coloured_slug}/")
    plain = await visit(api, f"{cast.globex.slug}/")

    assert f'<link rel="stylesheet" href="{PATH}">' in coloured.text
    assert coloured.text.index("/static/dist/site.") < coloured.text.index(PATH)
    assert plain.text.count('rel="stylesheet"') == coloured.text.count('rel="stylesheet"') - 1
    assert "accents" not in plain.text
    assert "accents" not in (await visit(api, f"{coloured_slug}/nothing")).text


async def test_the_style_names_a_colour_for_each_scheme_and_is_kept_for_ever(visitor: Client) -> None:
    style = await visitor.get(PATH)

    assert style.status_code == 200
    assert style.headers["Content-Type"] == "text/css; charset=utf-8"
    assert style.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert style.headers["X-Content-Type-Options"] == "nosniff"
    assert "--blue: light-dark(#6c5a00, #ffe680);" in style.text


@pytest.mark.parametrize(
    "name",
    [
        "6c5a00.css",
        "6c5a00-ffe680",
        "6C5A00-FFE680.css",
        "6c5a00-ffe68.css",
        "6c5a00-ffe680.css%0a",
        "red-blue.css",
        "000000-});}body{.css",
    ],
)
async def test_an_address_that_names_no_two_colours_is_not_found(visitor: Client, name: str) -> None:
    assert (await visitor.get(f"/static/accents/{name}")).status_code == 404
