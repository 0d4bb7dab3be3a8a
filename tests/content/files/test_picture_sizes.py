"""Texts include the sizes of pictures from the bot's own files, so that pages reserve space for them."""

import pytest

from tests.support.cast import Api, Cast, Client, Json
from tests.support.changelog_entries import publish_entry
from tests.support.file_samples import archive, picture
from tests.support.http import create_article, ok
from tests.support.uploads import upload


def path_of(file: Json) -> str:
    path: str = file["url"].removeprefix("http://help.test")
    return path


async def html_of(client: Client, article: Json) -> str:
    shown = ok(await client.get(f"/v1/articles/{article['id']}", params={"format": "html"}))
    html: str = shown["contentHtml"]
    return html


async def test_pictures_get_their_sizes_when_an_article_is_made_changed_and_published(client: Client) -> None:
    wide = path_of(await upload(client, picture(width=60, height=20)))
    tall = path_of(await upload(client, picture(width=10, height=30)))

    article = await create_article(client, contentMarkdown=f"![Wide]({wide}) ![Wide again]({wide}#top)")
    assert (await html_of(client, article)).count('width="60" height="20"') == 2

    path = f"/v1/articles/{article['id']}"
    ok(await client.patch(path, json={"contentMarkdown": f"![Tall]({tall})"}))
    assert f'<img src="{tall}" alt="Tall" ' in (html := await html_of(client, article))
    assert html.count(' width="10" height="30">') == 1

    ok(await client.post(f"{path}/publish"))
    ok(await client.patch(path, json={"contentMarkdown": f"![Tall]({tall})\n\n![Wide]({wide})"}))
    ok(await client.post(f"{path}/publish"))
    html = await html_of(client, article)
    assert (html.count('width="10" height="30"'), html.count('width="60" height="20"')) == (1, 1)


async def test_pictures_of_changelog_entries_get_their_sizes(
    client: Client, visitor: Client, cast: Cast
) -> None:
    path = path_of(await upload(client, picture(width=60, height=20)))
    await publish_entry(client, "Wide pictures", contentMarkdown=f"![Wide]({path})")

    for address in ("changelog", "changelog/wide-pictures"):
        page = await visitor.get(f"/help/{cast.acme.slug}/{address}")
        assert 'width="60"' in page.text
        assert 'height="20"' in page.text


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ('width="30"', {'width="30"', 'height="10"'}),
        ('width="1"', {'width="1"', 'height="1"'}),
        ('width="50%"', {'width="50%"'}),
        ('width="0"', {'width="0"'}),
        ('height="5"', {'height="5"'}),
        ('width="30" height="30"', {'width="30"', 'height="30"'}),
    ],
)
async def test_a_size_that_the_author_gives_stays(
    client: Client, attributes: str, expected: set[str]
) -> None:
    path = path_of(await upload(client, picture(width=60, height=20)))
    article = await create_article(client, contentMarkdown=f'<img src="{path}" alt="" {attributes}>')

    words = (await html_of(client, article)).replace(">", " ").split()
    assert {word for word in words if word.startswith(("width", "height"))} == expected


async def test_other_pictures_and_links_stay_as_they_are(client: Client, api: Api, cast: Cast) -> None:
    own = path_of(await upload(client, picture(width=60, height=20)))
    foreign = path_of(await upload(api(cast.globex.write_key), picture(width=7, height=9)))
    download = path_of(await upload(client, archive(a="b"), "a.zip"))
    unknown = f"/files/{cast.acme.slug}/{'0' * 64}.png"
    borrowed = foreign.replace(cast.globex.slug, cast.acme.slug)
    elsewhere = f"https://other.example{own}"
    text = "\n\n".join(
        (
            *(f"![a]({source})" for source in (foreign, download, unknown, borrowed, elsewhere, f"{own}ing")),
            f"[a link]({own}) `![a]({own})` [title](/a '<img src={own}>')",
        )
    )

    html = await html_of(client, await create_article(client, contentMarkdown=text))

    assert html.count("<img ") == 6
    assert "width=" not in html
