"""Hostile files are refused with a sentence, or served so that nothing in them runs."""

from pathlib import Path

import pytest
from fastapi import FastAPI

from tests.content.files.hostile import HTML, MAKERS, SCRIPT, hostile_file
from tests.support.cast import Api, Cast
from tests.support.file_samples import KINDS
from tests.support.http import body_of, error
from tests.support.uploads import open_file, send, show_in_article

PAGE_BYTES = 4096
MAX_GROWTH_BYTES = 100 * 1024 * 1024
SHOWN = {kind for _, _, kind, _, is_shown in KINDS if is_shown}
DOWNLOADED = {kind for _, _, kind, _, is_shown in KINDS if not is_shown}


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_BYTES


async def check_file(app: FastAPI, api: Api, cast: Cast, number: int) -> bool:
    """Upload a hostile file and check how it is served; return True if it was stored."""
    client = api(cast.acme.write_key)
    name, data = hostile_file(number)
    answer = await send(client, data, name)
    if answer.status_code == 400:
        assert error(answer) in ((400, "unsupported_type"), (400, "invalid_request")), number
        return False
    assert answer.status_code in (200, 201), (number, answer.text)
    file = body_of(answer)
    assert not set(file["name"]) & set("/\\\0\r\n\u202e"), number
    article = await show_in_article(client, file)
    served = await open_file(app, file)
    await client.delete(f"/v1/articles/{article['id']}")
    assert served.status_code == 200, number
    kind = served.headers["Content-Type"].partition(";")[0]
    assert kind == file["contentType"]
    assert served.headers["X-Content-Type-Options"] == "nosniff"
    assert served.headers["Content-Security-Policy"].startswith("default-src 'none'; sandbox")
    if kind in SHOWN:
        assert not any(harm in served.content for harm in (SCRIPT, HTML[:60], b"alert(1)")), number
    else:
        assert kind in DOWNLOADED
        saved_as = served.headers["Content-Disposition"]
        assert saved_as.startswith("attachment; filename*=UTF-8''")
        assert saved_as.lower().endswith("." + file["url"].rpartition(".")[2])
    return True


async def assert_harmless(app: FastAPI, api: Api, cast: Cast, count: int) -> None:
    app.state.settings = app.state.settings.model_copy(update={"requests_per_minute": 1_000_000})
    app.state.public_buckets.per_minute = 1_000_000
    # The first file starts the processes and connections.
    await check_file(app, api, cast, 0)
    before = resident_bytes()

    stored = [await check_file(app, api, cast, number) for number in range(count)]

    assert resident_bytes() - before < MAX_GROWTH_BYTES
    assert 0.05 < sum(stored) / count < 0.6


async def test_hostile_files_of_each_sort_are_refused_or_served_without_harm(
    app: FastAPI, api: Api, cast: Cast
) -> None:
    await assert_harmless(app, api, cast, 6 * len(MAKERS))


@pytest.mark.files
async def test_2_000_hostile_files_are_refused_or_served_without_harm(
    app: FastAPI, api: Api, cast: Cast
) -> None:
    await assert_harmless(app, api, cast, 2_000)
