"""The specification's table of operations, row by row (specification, Endpoints; contract section 4)."""

import re
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
    """One row: `{article}` and its like in the path stand for the id of something that exists."""

    method: str
    path: str
    scope: str
    status: int = 200
    query: Json = field(default_factory=dict)
    body: Json | None = None
    # A body that is no JSON.
    content: bytes | None = None
    # What the audit log names where the answer has no id.
    audited: str | None = None

    def query_for(self, things: dict[str, str]) -> dict[str, str]:
        """The query with the ids of these things."""
        return {name: str(value).format(**things) for name, value in self.query.items()}

    @property
    def is_write(self) -> bool:
        return self.scope in ("propose", "write")

    @property
    def has_reference(self) -> bool:
        return "{" in self.path

    @property
    def template(self) -> str:
        """The path as the API's description spells it."""
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


async def assemble(client: Client, company: Company, database: Database) -> dict[str, str]:
    """Something of each kind, by the name that paths of the table give it."""
    article = await create_article(client)
    await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": "Run it now."})
    revisions = body_of(await client.get(f"/v1/articles/{article['id']}/revisions"))["results"]
    published = await create_article(client, "Published")
    await client.post(f"/v1/articles/{published['id']}/publish")
    deleted = await create_article(client, "Deleted")
    await client.delete(f"/v1/articles/{deleted['id']}")
    news = created(await client.post("/v1/changelog/entries", json=TEXT))
    await client.post(f"/v1/changelog/entries/{news['id']}/publish")
    dismissed = created(await client.post(f"/v1/articles/{article['id']}/drafts", json=EDIT))
    await client.post(f"/v1/drafts/{dismissed['id']}/dismiss")
    webhook = created(await client.post("/v1/webhooks", json=ENDPOINT))
    places = [new_place(article["id"], key=key, heading=key) for key in ("open", "resolved")]
    await find_places(client, database, company, *places)
    resolved, place = body_of(await client.get("/v1/places"))["results"]
    await client.post(f"/v1/places/{resolved['id']}/resolve")
    draft = created(await client.post(f"/v1/articles/{article['id']}/drafts", json=EDIT))["id"]
    comments = [
        created(await client.post(f"/v1/comments?subject={draft}", json={"body": "Is it so?"}))["id"]
        for _ in range(2)
    ]
    await client.post(f"/v1/comments/{comments[1]}/resolve")
    return {
        "comment": comments[0],
        "answered": comments[1],
        "place": place["id"],
        "resolved": resolved["id"],
        "article": article["id"],
        "revision": revisions[0]["id"],
        "published": published["id"],
        "deleted": deleted["id"],
        "draft": draft,
        "dismissed": dismissed["id"],
        "suppressed": await hold_back_statement(company, database, article["id"]),
        "collection": (await create_collection(client))["id"],
        "part": created(await client.post("/v1/parts", json={"name": "a-part", "text": "Words."}))["id"],
        "api": created(await client.post("/v1/api-references", json={"url": "https://a.test/a.json"}))["id"],
        "version": await three_versions(client),
        "redirect": created(await client.post("/v1/redirects", json={**REDIRECT, "from": "/older"}))["id"],
        "entry": created(await client.post("/v1/changelog/entries", json=TEXT))["id"],
        "news": news["id"],
        "task": body_of(await client.post("/v1/tasks", json=CHANGE))["id"],
        "webhook": webhook["id"],
        "delivery": body_of(await client.post(f"/v1/webhooks/{webhook['id']}/test"))["id"],
        "question": await ask_in_vain(company, database),
        "file": (await upload(client))["id"],
    }


async def three_versions(client: Client) -> str:
    """The id of the middle one of three product versions; the first one is current."""
    slugs = ("0.x", "1.x", "2.x")
    versions = [created(await client.post("/v1/product-versions", json={"slug": slug})) for slug in slugs]
    return str(versions[1]["id"])


async def ask_in_vain(company: Company, database: Database) -> str:
    async with database.enter_workspace(company.workspace_id) as tx, tx.transaction():
        visitor = Actor("visitor", "Visitor", can_write=False)
        ctx = Ctx(tx, await find_bot(tx, company.bot_id), visitor, utc_now())
        return await log_unanswered(ctx, "How do I uninstall it?", "somebody", "en", [])
