"""A bot's accent color: its pages contain the style, and their policy allows it."""

import re
from base64 import b64encode
from hashlib import sha256

import pytest

from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast
from tests.support.http import Response
from tests.support.site_pages import visit

COLOURS = "--blue: light-dark(#6c5a00, #ffe680);"


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


async def test_pages_of_a_bot_with_an_accent_name_a_colour_for_each_scheme(
    api: Api, cast: Cast, coloured_slug: str
) -> None:
    coloured = await visit(api, f"{coloured_slug}/search")
    plain = await visit(api, f"{cast.globex.slug}/search")

    # The later style wins.
    assert COLOURS in styles_of(coloured)[1]
    assert len(styles_of(plain)) == 1
    assert len(styles_of(await visit(api, f"{coloured_slug}/nothing"))) == 1


@pytest.mark.parametrize("path", ["", "search?q=a", "ask", "nothing"])
async def test_the_policy_allows_the_styles_of_a_page_and_no_others(
    api: Api, coloured_slug: str, path: str
) -> None:
    page = await visit(api, f"{coloured_slug}/{path}")

    digests = [b64encode(sha256(style.encode()).digest()).decode() for style in styles_of(page)]
    sources = " ".join(f"'sha256-{digest}'" for digest in digests)
    assert f"; style-src {sources};" in page.headers["Content-Security-Policy"]


def styles_of(page: Response) -> list[str]:
    return re.findall(r"<style>(.*?)</style>", page.text, re.DOTALL)
