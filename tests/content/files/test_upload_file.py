"""Uploads: the stored contents, name and type, and refusals."""

import asyncio
import hashlib
import io
import re

import pytest
from fastapi import FastAPI
from PIL import Image, ImageChops

from instep.platform.core import limits
from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast
from tests.support.databases import until_blocked
from tests.support.file_samples import (
    KINDS,
    PDF,
    SECRET,
    animation,
    archive,
    picture,
    png_of_size,
    with_metadata,
)
from tests.support.http import ID, TIMESTAMP, at_once, body_of, created, error, ok
from tests.support.uploads import count_objects, open_file, send, show_in_article, upload

HTML = b"<!doctype html><title>Hello</title><script>alert(1)</script>"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'


async def test_an_upload_tells_all_about_the_file(api: Api, cast: Cast) -> None:
    file = await upload(api(cast.acme.write_key), picture(width=6, height=4))

    digest = file["sha256"]
    assert re.fullmatch("file" + ID, file["id"])
    assert TIMESTAMP.fullmatch(file["createdAt"])
    assert file | {"id": "", "createdAt": "", "bytes": 0} == {
        "id": "",
        "url": f"http://help.test/files/{cast.acme.slug}/{digest}.png",
        "name": "dashboard.png",
        "contentType": "image/png",
        "bytes": 0,
        "width": 6,
        "height": 4,
        "sha256": digest,
        "botId": str(cast.acme.bot_id),
        "createdAt": "",
    }


@pytest.mark.parametrize(("name", "data", "kind", "extension", "is_shown"), KINDS, ids=lambda v: str(v)[:12])
async def test_every_kind_is_told_by_its_bytes_and_served_as_it_is(
    app: FastAPI, api: Api, cast: Cast, name: str, data: bytes, kind: str, extension: str, is_shown: bool
) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client, data, name)
    await show_in_article(client, file)

    answer = await open_file(app, file)

    assert (file["contentType"], file["url"].rpartition(".")[2]) == (kind, extension)
    assert (file["bytes"], file["sha256"]) == (
        len(answer.content),
        hashlib.sha256(answer.content).hexdigest(),
    )
    assert answer.headers["Content-Type"].partition(";")[0] == kind
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in answer.headers["Content-Security-Policy"]
    assert ("attachment" in answer.headers.get("Content-Disposition", "")) is not is_shown
    if not is_shown:
        assert answer.content == data
        assert file["width"] is file["height"] is None


async def test_the_same_bytes_again_are_the_same_file(api: Api, cast: Cast, owner: Tx) -> None:
    client = api(cast.acme.write_key)
    first = await upload(client)

    again = await send(client, picture(), "other.png")

    assert ok(again) == first
    assert await count_objects(owner, first) == 1


async def test_identical_uploads_at_once_make_one_file(api: Api, cast: Cast, owner: Tx) -> None:
    client = api(cast.acme.write_key)

    answers = await at_once(8, lambda _: send(client, picture()))

    assert sorted(answer.status_code for answer in answers) == [200] * 7 + [201]
    assert len({body_of(answer)["id"] for answer in answers}) == 1
    assert await count_objects(owner, body_of(answers[0])) == 1


async def test_many_uploads_at_once_wait_for_each_other(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)

    answers = await at_once(40, lambda number: send(client, picture(shade=number), f"{number}.png"))

    assert [answer.status_code for answer in answers] == [201] * 40


async def test_each_help_center_has_files_of_its_own(api: Api, cast: Cast) -> None:
    acme = await upload(api(cast.acme.write_key))
    globex = await upload(api(cast.globex.write_key))

    assert acme["sha256"] == globex["sha256"]
    assert acme["id"] != globex["id"]


@pytest.mark.parametrize("format", ["PNG", "JPEG", "GIF", "WEBP", "AVIF"])
async def test_metadata_are_not_served(app: FastAPI, api: Api, cast: Cast, format: str) -> None:
    sent = with_metadata(format)
    assert SECRET.encode() in sent
    client = api(cast.acme.write_key)
    file = await upload(client, sent + b"<script>alert(1)</script>")
    await show_in_article(client, file)

    content = (await open_file(app, file)).content

    assert SECRET.encode() not in content
    assert b"script" not in content
    with Image.open(io.BytesIO(content)) as image, Image.open(io.BytesIO(sent)) as original:
        assert dict(image.getexif()) == {}
        difference = ImageChops.difference(image.convert("RGB"), original.convert("RGB"))
        # AVIF is re-encoded.
        assert max(difference.tobytes()) <= (2 if format == "AVIF" else 0)


@pytest.mark.parametrize("format", ["PNG", "JPEG", "WEBP", "AVIF"])
async def test_a_picture_stands_upright_without_its_metadata(api: Api, cast: Cast, format: str) -> None:
    file = await upload(api(cast.acme.write_key), with_metadata(format, orientation=6))

    assert (file["width"], file["height"]) == (4, 6)


@pytest.mark.parametrize("format", ["GIF", "WEBP", "PNG", "AVIF"])
async def test_an_animation_stays_one(app: FastAPI, api: Api, cast: Cast, format: str) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client, animation(format))
    await show_in_article(client, file)

    with Image.open(io.BytesIO((await open_file(app, file)).content)) as image:
        assert getattr(image, "n_frames", 1) == 3
        assert image.info.get("loop", 0) == 0
        image.seek(1)
        image.load()
        assert image.info["duration"] == 100


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("page.html", HTML),
        ("notes.txt", HTML),
        ("picture.png", HTML),
        ("prices.csv", b"plan,price\n<script>alert(1)</script>,9\n"),
        ("notes.txt", b"\xef\xbb\xbf \n<b>bold</b>"),
        ("logo.svg", SVG),
        ("logo.png", SVG),
        ("logo.txt", b"Hello " + SVG),
        ("feed.xml", b'<?xml version="1.0"?><rss/>'),
        ("settings.json", b"{port: 8000}"),
        ("settings.json", HTML),
        ("program.exe", b"MZ\x90\0" + b"\0" * 60),
        ("program", b"\x7fELF" + b"\0" * 60),
        ("latin.txt", "Grüße".encode("latin-1")),
        ("wide.txt", "Grüße".encode("utf-16")),
        ("clip.mov", b"\0\0\0\x14ftypqt  \0\0\2\0qt  "),
        ("photo.heic", b"\0\0\0\x18ftypheic\0\0\0\0mif1heic"),
        ("movie.mkv", b"\x1a\x45\xdf\xa3\x9fB\x82\x88matroska" + b"\0" * 40),
        ("half.png", picture("PNG")[:40]),
        ("half.jpg", picture("JPEG")[:300]),
        ("half.zip", archive(readme="Hello.")[:20]),
        ("icon.ico", b"\0\0\1\0\1\0\x10\x10" + b"\0" * 60),
        ("empty.txt", b""),
        ("picture.bmp", picture("BMP")),
        ("picture.tiff", picture("TIFF")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_unsupported_types_are_refused(api: Api, cast: Cast, name: str, data: bytes) -> None:
    assert error(await send(api(cast.acme.write_key), data, name)) == (400, "unsupported_type")


async def test_a_picture_of_too_many_pixels_is_refused(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)

    refused = await send(client, png_of_size(8_000, 5_001))
    bomb = await send(client, png_of_size(60_000, 60_000))

    assert error(refused) == error(bomb) == (400, "invalid_request")
    assert "8,000 by 5,001 pixels" in body_of(refused)["error"]


async def test_a_picture_of_as_many_pixels_as_allowed_is_stored(api: Api, cast: Cast) -> None:
    file = await upload(api(cast.acme.write_key), png_of_size(8_000, 5_000))

    assert file["width"] * file["height"] == limits.MAX_PICTURE_PIXELS


async def test_an_avif_of_as_many_pixels_as_allowed_is_stored_and_a_larger_one_is_refused(
    api: Api, cast: Cast
) -> None:
    client = api(cast.acme.write_key)

    file = await upload(client, picture("AVIF", 4_000, 3_000, speed=10))
    refused = await send(client, picture("AVIF", 4_000, 3_001, speed=10))

    assert file["width"] * file["height"] == limits.MAX_AVIF_PIXELS
    assert error(refused) == (400, "invalid_request")
    assert "AVIF may have at most 12,000,000" in body_of(refused)["error"]


async def test_a_file_of_more_than_20_mebibytes_is_refused(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    largest = PDF + b" " * (limits.MAX_FILE_BYTES - len(PDF))

    assert created(await send(client, largest, "manual.pdf"))["bytes"] == limits.MAX_FILE_BYTES
    assert error(await send(client, largest + b" ", "manual.pdf")) == (400, "invalid_request")


async def test_a_form_is_refused_with_what_to_do(api: Api, cast: Cast) -> None:
    refused = await api(cast.acme.write_key).post(
        "/v1/files", params={"name": "a.txt"}, files={"file": ("a.txt", b"Hello")}
    )

    assert error(refused) == (400, "invalid_request")
    assert "not in a form" in body_of(refused)["error"]


async def test_the_name_is_required(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)

    for params in ({}, {"name": ""}, {"name": "a" * 201}):
        refused = await client.post("/v1/files", params=params, content=picture())
        assert error(refused) == (400, "invalid_request")


@pytest.mark.parametrize(
    ("sent", "name"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\ann\\notes.txt", "notes.txt"),
        ("a\0b\r\nSet-Cookie: x\t.txt", "abSet-Cookie: x.txt"),
        ("\u202etxt.exe", "txt.exe"),
        ("..", "file"),
        ("folder/", "file"),
        ("Übersicht (1).txt", "Übersicht (1).txt"),
    ],
)
async def test_a_name_is_no_path_and_holds_nothing_invisible(
    api: Api, cast: Cast, sent: str, name: str
) -> None:
    file = await upload(api(cast.acme.write_key), f"Hello {sent!r}".encode(), sent)

    assert file["name"] == name


async def test_a_download_is_saved_under_the_extension_of_its_kind(
    app: FastAPI, api: Api, cast: Cast
) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client, PDF, 'über "uns".html')
    await show_in_article(client, file)

    disposition = (await open_file(app, file)).headers["Content-Disposition"]

    assert disposition == "attachment; filename*=UTF-8''%C3%BCber%20%22uns%22.html.pdf"


async def test_the_files_of_a_help_center_have_a_quota(api: Api, cast: Cast, owner: Tx) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client)
    await owner.execute("update files set bytes = 2000000000 where id = %(id)s", id=file["id"])
    for shade in (1, 2):
        other = await upload(client, picture(shade=shade))
        await owner.execute("update files set bytes = 2000000000 where id = %(id)s", id=other["id"])

    refused = await send(client, picture(shade=3))

    assert error(refused) == (400, "invalid_request")
    assert "5 GiB" in body_of(refused)["error"]


async def test_file_removed_during_another_upload_is_stored_again(
    app: FastAPI, api: Api, cast: Cast, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    first = await upload(client)
    async with owner.transaction():
        await owner.execute("delete from files where id = %(id)s", id=first["id"])
        sending = asyncio.create_task(upload(client))
        await until_blocked(owner, 1)

    again = await sending

    await show_in_article(client, again)
    assert again["id"] != first["id"]
    assert (await open_file(app, again)).status_code == 200
