"""Pages that search engines list have descriptions."""

import pytest

from tests.support.cast import Api, Cast
from tests.support.site_pages import Page, collect, publish, visit
from tests.support.wording import like


@pytest.mark.parametrize(
    ("path", "description"),
    [
        ("", "Acme: browse…"),
        ("articles", "All articles of Acme"),
        ("collections/guides", "How it works."),
        ("collections/others", "Others: articles of Acme"),
        ("articles/install", "In a minute."),
        ("changelog", "Acme: what…"),
    ],
)
async def test_a_page_that_is_listed_describes_itself(
    api: Api, cast: Cast, path: str, description: str
) -> None:
    client = api(cast.acme.write_key)
    await collect(client, "Guides", description="How it works.")
    await collect(client, "Others")
    await publish(client, "Install", description="In a minute.")

    page = Page((await visit(api, f"{cast.acme.slug}/{path}")).text)

    tags = [attrs["content"] for attrs in page.attributes("meta") if attrs.get("name") == "description"]
    assert tags == [like(description)]
