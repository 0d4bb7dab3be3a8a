"""A help center with everything that an export can contain, and exports of it."""

import io
import zipfile
from pathlib import Path

from instep.content.files.storage import open_storages
from instep.content.golden.actions import add_golden_question
from instep.platform.core.config import settings
from instep.platform.core.database import Database
from instep.transfer.exports.actions import prepare_export
from instep.transfer.exports.archive import zip_pieces
from tests.support.articles import acting
from tests.support.cast import Client, Company
from tests.support.file_samples import picture
from tests.support.http import create_article, create_collection, created, ok
from tests.support.site_pages import publish
from tests.support.uploads import upload


async def export_zip(database: Database, company: Company) -> bytes:
    async with acting(database, company) as ctx:
        export = await prepare_export(ctx)
    storages = open_storages(settings(), database)
    return b"".join([piece async for piece in zip_pieces(export, database, storages)])


def unpacked(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


async def texts_of(database: Database, company: Company) -> dict[str, str]:
    """The text files of an export."""
    files = unpacked(await export_zip(database, company))
    return {path: data.decode() for path, data in files.items() if not path.startswith("files/")}


def folder_texts(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


async def fill(client: Client, database: Database, company: Company) -> None:
    """Create nested collections, articles, links, a picture, and redirects to them."""
    home = f"/help/{company.slug}"
    start = await create_collection(client, "Start", description="First steps.", icon="🧭")
    deeper = await create_collection(client, "Deeper", parentId=start["id"], visibility="authenticated")
    file = await upload(client, picture(shade=7), "A dashboard (new).png")
    text = f"See [setup]({home}/articles/setup#one) and ![It]({file['url']}).\r\n\n    code\n\tno end"
    install = await publish(client, "Install: now", text, collectionId=start["id"], description="How to.")
    german = {"locale": "de", "translationOf": install["id"], "collectionId": start["id"]}
    await publish(client, "Installieren", f"Siehe [hier]({home}/articles/install-now).\n", **german)
    limit = {"kind": "variable", "name": "limit", "text": "12 GB"}
    created(await client.post("/v1/parts", json=limit))
    created(await client.post("/v1/parts", json={**limit, "locale": "de", "text": "12 GByte"}))
    # Its name sorts before the variable that it contains.
    created(
        await client.post("/v1/parts", json={"name": "about-limits", "text": "At most {{variable.limit}}.\n"})
    )
    text = "\n\nOne\n\n{{part.about-limits}}\n"
    await create_article(client, "Setup", contentMarkdown=text, collectionId=deeper["id"])
    old = await publish(client, "Old name", f"[Back]({home}/collections/start)", visibility="authenticated")
    ok(await client.patch(f"/v1/articles/{old['id']}", json={"slug": "new-name"}))
    entry = created(
        await client.post(
            "/v1/changelog/entries",
            json={
                "title": "CSV",
                "contentMarkdown": f"[How]({home}/articles/setup).\n",
                "sourceUrl": "https://git.example.com/1",
            },
        )
    )
    ok(await client.post(f"/v1/changelog/entries/{entry['id']}/publish"))
    for source, target in (
        ("/hc/1", {"articleId": install["id"]}),
        ("/status", {"url": "https://s.example/"}),
    ):
        created(await client.post("/v1/redirects", json={"from": source, **target}))
    async with acting(database, company) as ctx:
        await add_golden_question(ctx, "How do I install it?", install["id"], "One")
