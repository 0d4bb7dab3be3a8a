"""Data for the dashboard's content pages, including an article with every detail its page can show."""

from instep.content.articles.body_schemas import TextEdit
from instep.content.articles.editing import open_text, save_text
from instep.content.golden.actions import add_golden_question
from instep.interfaces.dashboard.queries import list_bots
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Tx
from instep.platform.identity.schemas import Actor, Ctx
from tests.support.cast import Client, Json
from tests.support.http import create_article, create_collection, created, ok

TEXTS = (
    "Each file may be up to 25 MB.\n",
    "Each file may be up to 50 MB.\n",
    "Each file may be up to 200 MB.\n",
)
PLANS = "Choose a plan:\n\n| Plan | Files |\n| --- | ---: |\n| Free | 100 |\n| Team | 10,000 |\n"


async def fill_content(owner: Tx, client: Client, workspace_id: str, slug: str) -> dict[str, str]:
    """Create the content; return page paths by the names used in the catalog."""
    limits = await write_limits(client)
    everything = ok(await client.get("/v1/articles/everything"))
    edit = {"contentMarkdown": "A proposal.\n", "reason": "The limit has changed."}
    created(await client.post(f"/v1/articles/{everything['id']}/drafts", json=edit))
    [bot] = [row for row in await list_bots(owner, workspace_id) if row.slug == slug]
    owner.workspace_id = workspace_id
    ctx = Ctx(owner, bot, Actor("person", "omar@nordwind.example", can_write=True), utc_now())
    async with owner.transaction():
        await add_golden_question(ctx, "What may an article hold?", everything["id"])
        edited = await open_text(ctx, everything["id"])
        copy = TextEdit(title=edited.title, content=edited.content + "\nOne more.\n")
        await save_text(ctx, everything["id"], copy, edited.version)
    table = await create_article(client, "Plans", contentMarkdown=PLANS)
    await add_versions(client, table)
    part = await add_parts(client)
    gone = await create_article(client, "Nobody needs this any more")
    ok(await client.delete(f"/v1/articles/{gone['id']}"))
    hidden = await create_collection(
        client, "For partners", parentId="soon", visibility="authenticated", icon="🤝"
    )
    [entry, *_] = ok(await client.get("/v1/changelog/entries"))["results"]
    return {
        "article": f"/app/{slug}/articles/{everything['id']}",
        "table": f"/app/{slug}/articles/{table['id']}",
        "limits": f"/app/{slug}/articles/{limits['id']}",
        "new_translation": f"/app/{slug}/articles/new?translation-of={limits['id']}",
        "part": f"/app/{slug}/parts/{part['id']}",
        "hidden": f"/app/{slug}/collections/{hidden['id']}",
        "entry": f"/app/{slug}/changelog/{entry['id']}",
    }


async def add_versions(client: Client, article: Json) -> None:
    """Add an older, the current and the next version, and an article whose older version has another text."""
    for slug, branch in (("1.x", "release/1.*"), ("2.x", "main"), ("3.0", "next")):
        body = {"slug": slug, "branches": [branch], "isCurrent": slug == "2.x"}
        created(await client.post("/v1/product-versions", json=body))
    created(await client.post(f"/v1/articles/{article['id']}/split", json={"version": "2.x"}))


async def add_parts(client: Client) -> Json:
    """Add a variable to a part, and the part to an article."""
    variable = {"kind": "variable", "name": "price", "text": "12 €"}
    price = created(await client.post("/v1/parts", json=variable))
    body = {"name": "billing-note", "text": "The plan costs {{variable.price}} a month.\n"}
    created(await client.post("/v1/parts", json=body))
    await create_article(client, "Billing", contentMarkdown="{{part.billing-note}}")
    return ok(await client.patch(f"/v1/parts/{price['id']}", json={"text": "14 €"}))


async def write_limits(client: Client) -> Json:
    """A draft with three versions, a former slug, and a translation of the second version."""
    article = await create_article(client, "Upload limits", contentMarkdown=TEXTS[0], slug="file-limits")
    path = f"/v1/articles/{article['id']}"
    ok(await client.patch(path, json={"contentMarkdown": TEXTS[1], "slug": "upload-limits"}))
    await create_article(client, "Grenzen", locale="de", translationOf=article["id"])
    return ok(await client.patch(path, json={"contentMarkdown": TEXTS[2]}))
