"""Listing files, and reading the details of one."""

from tests.support.cast import Api, Cast
from tests.support.file_samples import picture
from tests.support.http import all_pages, error, ok
from tests.support.uploads import FILES, upload


async def test_the_newest_file_comes_first_on_every_page(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    files = [await upload(client, picture(shade=shade)) for shade in range(5)]

    assert await all_pages(client, FILES, page_size=2) == files[::-1]


async def test_one_file_is_as_the_list_and_the_upload_tell_it(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client)

    assert ok(await api(cast.acme.read_key).get(f"{FILES}/{file['id']}")) == file


async def test_a_cursor_of_another_list_is_refused(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    for shade in range(2):
        await upload(client, picture(shade=shade))
    cursor = ok(await client.get(FILES, params={"page_size": 1}))["next_cursor"]

    refused = await client.get("/v1/articles", params={"start_cursor": cursor})

    assert error(refused) == (400, "invalid_cursor")
