"""The specification's table of operations, one row each (specification, Endpoints; contract section 4)."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database
from instep.platform.identity.queries import find_bot
from instep.platform.identity.schemas import Actor, Ctx
from instep.visitors.insights.actions import log_unanswered
from tests.support.cast import Client, Company, Json
from tests.support.drafts import hold_back_statement
from tests.support.http import body_of, create_article, create_collection, created
from tests.support.places import find_places, new_place
from tests.support.uploads import upload

TEXT = {"title": "Install", "contentMarkdown": "Run it."}
EDIT = {"contentMarkdown": "Run it twice."}
CHANGE = {"change": {"kind": "pr", "title": "Rename a setting"}}
SYNC = {"folder": "docs/help", "commit": "4b825dc642cb6eb9a060e54bf8d69288fbee4904", "files": []}
REDIRECT = {"from": "/old/*", "url": "https://example.com/new"}
DRIFT = {"commit": SYNC["commit"], "changes": [], "goneNames": [], "absentKeys": []}
ENDPOINT = {"url": "https://example.com/hooks", "events": ["*"]}


@dataclass(frozen=True, slots=True)
class Operation:
    """One row. Placeholders such as `{article}` in the path are ids of existing objects."""

    method: str
    path: str
    scope: str
    status: int = 200
    query: Json = field(default_factory=dict)
    body: Json | None = None
    # A body that is not JSON.
    content: bytes | None = None
    # The id in the audit log if the response has none.
    audited: str | None = None

    def query_for(self, things: dict[str, str]) -> dict[str, str]:
        """The query with its placeholders replaced by these ids."""
        return {name: str(value).format(**things) for name, value in self.query.items()}

    @property
    def is_write(self) -> bool:
        return self.scope in ("propose", "write")

    @property
    def has_reference(self) -> bool:
        return "{" in self.path

    @property
    def needs(self) -> set[str] | None:
        """The kinds of objects that must exist, or None if the operation works on all objects."""
        if not (self.is_write and self.has_reference):
            return None
        named = re.findall(r"{([a-z]+)}", f"{self.path} {self.query}")
        # Bodies refer to versions, and events are only recorded if an endpoint receives them.
        return {*named, "webhook", *({"version"} & (self.body or {}).keys())}

    @property
    def template(self) -> str:
        """The path as it is written in the API description."""
        path = self.path
        for name in ("revision", "delivery"):
            path = path.replace(f"{{{name}}}", f"{{{name}Id}}")
        return re.sub(r"{[a-z]+}", "{id}", path)


TABLE = [
    Operation("GET", "/bots", "any"),
    Operation("GET", "/articles", "read", query={"status": "published", "format": "html"}),
    Operation("POST", "/articles", "write", 201, body=TEXT),
    Operation("GET", "/articles/search", "read", query={"q": "install"}),
    Operation("GET", "/articles/{article}", "read"),
    Operation("PATCH", "/articles/{article}", "write", body={"title": "Install it"}),
    Operation("DELETE", "/articles/{article}", "write"),
    Operation("POST", "/articles/{article}/publish", "write"),
    Operation("POST", "/articles/{published}/split", "write", 201, body={"version": "2.x"}),
    Operation("POST", "/articles/{published}/unpublish", "write"),
    Operation("POST", "/articles/{published}/verify", "write"),
    Operation("POST", "/articles/{deleted}/restore", "write"),
    Operation("GET", "/articles/{article}/drafts", "read"),
    Operation("POST", "/articles/{article}/drafts", "propose", 201, body=EDIT),
    Operation("GET", "/drafts", "read", query={"type": "edit"}),
    Operation("GET", "/drafts/{draft}", "read"),
    Operation("PATCH", "/drafts/{draft}", "propose", body={"title": "Install it"}),
    Operation("POST", "/drafts/{draft}/apply", "write", body={}),
    Operation("POST", "/drafts/{draft}/dismiss", "write"),
    Operation("POST", "/drafts/{dismissed}/reopen", "write"),
    Operation("GET", "/places", "read", query={"status": "open"}),
    Operation("GET", "/places/{place}", "read"),
    Operation("POST", "/places/{place}/resolve", "propose"),
    Operation("POST", "/places/{place}/dismiss", "propose"),
    Operation("POST", "/places/{resolved}/reopen", "propose"),
    Operation("GET", "/comments", "read", query={"subject": "{draft}"}),
    Operation("POST", "/comments", "propose", 201, query={"subject": "{draft}"}, body={"body": "Is it so?"}),
    Operation("PATCH", "/comments/{comment}", "propose", body={"body": "It is so."}),
    Operation("POST", "/comments/{comment}/resolve", "propose"),
    Operation("POST", "/comments/{answered}/reopen", "propose"),
    Operation("DELETE", "/comments/{comment}", "propose"),
    Operation("GET", "/review-settings", "read"),
    Operation("PATCH", "/review-settings", "write", body={"expiryDays": 30}, audited="review-settings"),
    Operation("POST", "/releases", "write", body={"taskIds": ["task_1"]}, audited="task_1"),
    Operation("GET", "/articles/{article}/revisions", "read"),
    Operation("GET", "/articles/{article}/revisions/{revision}", "read"),
    Operation("GET", "/articles/{article}/revisions/{revision}/diff", "read"),
    Operation("POST", "/articles/{article}/revisions/{revision}/restore", "write"),
    Operation("GET", "/collections", "read"),
    Operation("POST", "/collections", "write", 201, body={"title": "Guides"}),
    Operation("GET", "/collections/{collection}", "read"),
    Operation("PATCH", "/collections/{collection}", "write", body={"sortOrder": 3}),
    Operation("DELETE", "/collections/{collection}", "write"),
    Operation("GET", "/parts", "read"),
    Operation("POST", "/parts", "write", 201, body={"name": "note", "text": "Words."}),
    Operation("GET", "/parts/{part}", "read"),
    Operation("GET", "/parts/{part}/uses", "read"),
    Operation("PATCH", "/parts/{part}", "write", body={"text": "Other words."}),
    Operation("DELETE", "/parts/{part}", "write"),
    Operation("GET", "/api-references", "read"),
    Operation("POST", "/api-references", "write", 201, body={"url": "https://api.acme.test/openapi.json"}),
    Operation("POST", "/api-references/{api}/update", "write", 202),
    Operation("DELETE", "/api-references/{api}", "write"),
    Operation("GET", "/product-versions", "read"),
    Operation("POST", "/product-versions", "write", 201, body={"slug": "3.x"}),
    Operation("GET", "/product-versions/{version}", "read"),
    Operation("PATCH", "/product-versions/{version}", "write", body={"name": "Two"}),
    Operation("DELETE", "/product-versions/{version}", "write"),
    Operation("GET", "/redirects", "read"),
    Operation("POST", "/redirects", "write", 201, body=REDIRECT),
    Operation("DELETE", "/redirects/{redirect}", "write"),
    Operation("GET", "/style", "read"),
    Operation("PATCH", "/style", "write", body={"terms": [{"term": "GitHub"}]}, audited="style"),
    Operation("GET", "/synonyms", "read"),
    Operation("PATCH", "/synonyms", "write", body={"groups": [["cart", "basket"]]}, audited="synonyms"),
    Operation("GET", "/files", "read"),
    Operation("POST", "/files", "write", 201, query={"name": "notes.txt"}, content=b"Run it."),
    Operation("GET", "/files/{file}", "read"),
    Operation("DELETE", "/files/{file}", "write"),
    Operation("GET", "/changelog/entries", "read", query={"status": "all"}),
    Operation("POST", "/changelog/entries", "write", 201, body=TEXT),
    Operation("GET", "/changelog/entries/{entry}", "read"),
    Operation("PATCH", "/changelog/entries/{entry}", "write", body={"title": "Faster"}),
    Operation("POST", "/changelog/entries/{entry}/publish", "write"),
    Operation("POST", "/changelog/entries/{news}/unpublish", "write"),
    Operation("GET", "/sync", "read", query={"folder": "docs/help"}),
    Operation("POST", "/sync", "write", body=SYNC, audited="docs/help"),
    Operation("GET", "/tasks", "read"),
    Operation("POST", "/tasks", "propose", 202, body=CHANGE),
    Operation("GET", "/tasks/{task}", "read"),
    Operation("GET", "/drift/statements", "read"),
    Operation("POST", "/articles/translate", "propose", body={"locale": "fr", "dryRun": True}, audited="fr"),
    Operation("POST", "/drift/checks", "propose", body=DRIFT, audited=str(SYNC["commit"])),
    Operation("GET", "/webhooks", "read"),
    Operation("POST", "/webhooks", "write", 201, body=ENDPOINT),
    Operation("GET", "/webhooks/{webhook}", "read"),
    Operation("PATCH", "/webhooks/{webhook}", "write", body={"events": ["task.completed"]}),
    Operation("DELETE", "/webhooks/{webhook}", "write"),
    Operation("POST", "/webhooks/{webhook}/rotate-secret", "write"),
    Operation("POST", "/webhooks/{webhook}/test", "write"),
    Operation("GET", "/webhooks/{webhook}/deliveries", "read"),
    Operation("POST", "/webhooks/{webhook}/deliveries/{delivery}/redeliver", "write"),
    Operation("GET", "/insights/unanswered", "read"),
    Operation("POST", "/insights/unanswered/{question}/dismiss", "write"),
    Operation("GET", "/insights/health", "read"),
    Operation("GET", "/insights/feedback", "read"),
    Operation("GET", "/insights/visits", "read"),
    Operation("DELETE", "/insights/visits", "write"),
    Operation("GET", "/insights/views", "read"),
    Operation("GET", "/insights/searches", "read"),
    Operation("GET", "/insights/suppressed", "read"),
    Operation("DELETE", "/insights/suppressed/{suppressed}", "write"),
]


@dataclass(frozen=True, slots=True)
class Maker:
    """Creates one object per kind, named like the placeholders in the table's paths."""

    client: Client
    company: Company
    database: Database
    article_id: str

    async def make_revision(self) -> dict[str, str]:
        await self.client.patch(f"/v1/articles/{self.article_id}", json={"contentMarkdown": "Run it now."})
        revisions = body_of(await self.client.get(f"/v1/articles/{self.article_id}/revisions"))["results"]
        return {"article": self.article_id, "revision": revisions[0]["id"]}

    async def make_articles(self) -> dict[str, str]:
        published = await create_article(self.client, "Published")
        await self.client.post(f"/v1/articles/{published['id']}/publish")
        deleted = await create_article(self.client, "Deleted")
        await self.client.delete(f"/v1/articles/{deleted['id']}")
        return {"published": published["id"], "deleted": deleted["id"]}

    async def make_entries(self) -> dict[str, str]:
        news, entry = [
            created(await self.client.post("/v1/changelog/entries", json=TEXT))["id"] for _ in range(2)
        ]
        await self.client.post(f"/v1/changelog/entries/{news}/publish")
        return {"news": news, "entry": entry}

    async def make_drafts(self) -> dict[str, str]:
        address = f"/v1/articles/{self.article_id}/drafts"
        dismissed = created(await self.client.post(address, json=EDIT))["id"]
        await self.client.post(f"/v1/drafts/{dismissed}/dismiss")
        draft = created(await self.client.post(address, json=EDIT))["id"]
        comments = [
            created(await self.client.post(f"/v1/comments?subject={draft}", json={"body": "Is it so?"}))["id"]
            for _ in range(2)
        ]
        await self.client.post(f"/v1/comments/{comments[1]}/resolve")
        return {"dismissed": dismissed, "draft": draft, "comment": comments[0], "answered": comments[1]}

    async def make_webhook(self) -> dict[str, str]:
        webhook = created(await self.client.post("/v1/webhooks", json=ENDPOINT))["id"]
        delivery = body_of(await self.client.post(f"/v1/webhooks/{webhook}/test"))["id"]
        return {"webhook": webhook, "delivery": delivery}

    async def make_places(self) -> dict[str, str]:
        places = [new_place(self.article_id, key=key, heading=key) for key in ("open", "resolved")]
        await find_places(self.client, self.database, self.company, *places)
        resolved, place = body_of(await self.client.get("/v1/places"))["results"]
        await self.client.post(f"/v1/places/{resolved['id']}/resolve")
        return {"place": place["id"], "resolved": resolved["id"]}

    async def make_others(self) -> dict[str, str]:
        post = self.client.post
        return {
            "suppressed": await hold_back_statement(self.company, self.database, self.article_id),
            "collection": (await create_collection(self.client))["id"],
            "part": created(await post("/v1/parts", json={"name": "a-part", "text": "Words."}))["id"],
            "api": created(await post("/v1/api-references", json={"url": "https://a.test/a.json"}))["id"],
            "version": await three_versions(self.client),
            "redirect": created(await post("/v1/redirects", json={**REDIRECT, "from": "/older"}))["id"],
            "task": body_of(await post("/v1/tasks", json=CHANGE))["id"],
            "question": await ask_in_vain(self.company, self.database),
            "file": (await upload(self.client))["id"],
        }


MAKERS: dict[tuple[str, ...], Callable[[Maker], Awaitable[dict[str, str]]]] = {
    ("article", "revision"): Maker.make_revision,
    ("published", "deleted"): Maker.make_articles,
    ("news", "entry"): Maker.make_entries,
    ("dismissed", "draft", "comment", "answered"): Maker.make_drafts,
    ("webhook", "delivery"): Maker.make_webhook,
    ("place", "resolved"): Maker.make_places,
    (
        *("suppressed", "collection", "part", "api", "version", "redirect", "task", "question", "file"),
    ): Maker.make_others,
}


async def assemble(
    client: Client, company: Company, database: Database, operation: Operation | None = None
) -> dict[str, str]:
    """Create one object per kind; for a write to an existing object, only the kinds that it needs."""
    maker = Maker(client, company, database, (await create_article(client))["id"])
    needs = operation.needs if operation else None
    things: dict[str, str] = {}
    for names, make in MAKERS.items():
        if needs is None or needs & set(names):
            things |= await make(maker)
    return things


async def three_versions(client: Client) -> str:
    """Create three product versions, the first one current, and return the id of the middle one."""
    slugs = ("0.x", "1.x", "2.x")
    versions = [created(await client.post("/v1/product-versions", json={"slug": slug})) for slug in slugs]
    return str(versions[1]["id"])


async def ask_in_vain(company: Company, database: Database) -> str:
    async with database.enter_workspace(company.workspace_id) as tx, tx.transaction():
        visitor = Actor("visitor", "Visitor", can_write=False)
        ctx = Ctx(tx, await find_bot(tx, company.bot_id), visitor, utc_now())
        return await log_unanswered(ctx, "How do I uninstall it?", "somebody", "en", [])
