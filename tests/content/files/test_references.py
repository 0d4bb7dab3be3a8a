"""References to files are found in any text, however they are written, and in linear time."""

import time

import psycopg
import pytest
from fastapi import FastAPI

from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast, Json
from tests.support.growth import grows_linearly
from tests.support.http import create_article, ok
from tests.support.uploads import open_file, upload

DIGEST = "0123456789abcdef" * 4


def path_of(file: Json) -> str:
    path: str = file["url"].removeprefix("http://help.test")
    return path


@pytest.mark.parametrize(
    "text",
    [
        "![]({url})",
        "![]({path})",
        "[Prices]({path} 'The prices')",
        '<img src="{path}" alt="">',
        "![][1]\n\n[1]: {url}",
        "![a]({path}?x=1#y)",
        "![a](https://other.example{path})",
        "x{path}x{path}",
    ],
)
async def test_a_text_refers_to_a_file_in_any_spelling_of_its_address(
    app: FastAPI, api: Api, cast: Cast, text: str
) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client)
    content = text.format(url=file["url"], path=path_of(file))
    article = await create_article(client, contentMarkdown=content)
    ok(await client.post(f"/v1/articles/{article['id']}/publish"))

    assert (await open_file(app, file)).status_code == 200


async def test_a_digest_alone_is_no_reference(app: FastAPI, api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client)
    article = await create_article(client, contentMarkdown=f"{file['sha256']} /files/{file['sha256']}.png")
    ok(await client.post(f"/v1/articles/{article['id']}/publish"))

    assert (await open_file(app, file)).status_code == 404


@pytest.mark.parametrize(
    "piece", ["/files/", "/files/a", f"/files/a/{DIGEST[1:]}", f"/files/{DIGEST}", "/files/a/" + "0" * 500]
)
def test_any_text_is_read_in_linear_time(database_url: str, piece: str) -> None:
    with psycopg.connect(database_url) as connection:

        def read(text: str) -> None:
            connection.execute("select refer_to_files('ws', gen_random_uuid(), 'article', 'art', %s)", [text])

        def make(length: int) -> str:
            return (piece * (length // len(piece)))[:length]

        # PostgreSQL does the work, so this thread's processor time says nothing about it.
        assert grows_linearly(read, make, 1_000_000, clock=time.perf_counter)
        connection.rollback()


async def test_many_references_in_one_text_are_kept(owner: Tx, api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    digests = [f"{number:064x}" for number in range(5_000)]
    content = "\n".join(f"![](/files/a/{digest}.png)" for digest in digests)
    article = await create_article(client, contentMarkdown=content)

    sql = "select count(*) from file_references where source_id = %(id)s"
    assert await owner.value(sql, id=article["id"]) == 5_000
    ok(await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": "None."}))
    assert await owner.value(sql, id=article["id"]) == 0
