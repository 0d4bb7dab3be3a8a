"""After any sequence of actions, each change has its event, and replaying the events gives the live state."""

import json
import random
from collections.abc import Awaitable, Callable, Set
from typing import Any

import pytest

from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import AppError
from tests.support.articles import save_copy
from tests.support.cast import Cast, Client, Json
from tests.support.drafts import NewType, queue_new
from tests.support.events import before, forget, heard, told
from tests.support.http import Response, all_pages
from tests.support.limits import SetSetting
from tests.support.webhook_endpoints import create_webhook

STEPS = 100
TEXTS = ["One.\n", "Two.\n", "One.\n\nTwo.\n"]
TITLES = ["Install", "Set up", "Run"]
# These fields change with others, but on their own they make no event.
COMING_ALONG = {"hasUnpublishedChanges", "version", "updatedAt", "translations", "freshness"}
Rows = dict[str, Json]
Told = tuple[str, Json, Json]


@pytest.fixture(autouse=True)
def unhurried(set_setting: SetSetting) -> None:
    set_setting("INSTEP_REQUESTS_PER_MINUTE", "1000000")


@pytest.mark.parametrize("seed", range(4))
async def test_every_change_has_its_event_and_the_events_retell_which_articles_are_live(
    client: Client, cast: Cast, database: Database, owner: Tx, seed: int
) -> None:
    await create_webhook(client)
    editor = Editor(client, cast, database, random.Random(seed))
    state, replica, count = await State.read(client), Replica(), 0

    for _ in range(STEPS):
        step = await editor.act()
        now = await state.next()
        events = [told(event) for event in await heard(owner, cast.acme)]
        assert written(events) == written(now.changes_since(state)), step
        await forget(owner, cast.acme)
        replica.follow(events)
        count += len(events)
        state = now

    live = [row for row in state.articles.values() if row["status"] == "published"]
    assert replica.live == {row["id"]: seen(row) for row in live}
    assert count > STEPS / 10


class Editor:
    """Performs random actions, many of which are refused or change nothing."""

    def __init__(self, client: Client, cast: Cast, database: Database, chance: random.Random) -> None:
        self.client = client
        self.company = cast.acme
        self.database = database
        self.chance = chance
        # Includes deleted ones.
        self.articles: list[str] = []

    async def act(self) -> str:
        steps: list[Callable[[], Awaitable[Response | None]]] = [
            *(self.create, self.translate, self.patch, self.patch, self.publish, self.publish),
            *(self.unpublish, self.delete, self.restore, self.save_copy, self.restore_revision),
            *(self.propose, self.propose, self.queue, self.patch_draft, self.apply, self.apply, self.dismiss),
            *(self.create_entry, self.patch_entry, self.publish_entry, self.unpublish_entry),
        ]
        step = self.chance.choice(steps)
        answer = await step()
        assert answer is None or answer.status_code in (200, 201, 400, 404), answer.text
        return f"{step.__name__}: {answer.text if answer else ''}"

    def words(self) -> Json:
        pick = self.chance.choice
        return {"title": pick(TITLES), "contentMarkdown": pick(TEXTS)}

    def some(self, **fields: Any) -> Json:
        return {name: value for name, value in fields.items() if self.chance.random() < 0.5}

    def article(self) -> str:
        """One of the latest articles, so that each of them changes often."""
        return f"/v1/articles/{self.chance.choice(self.articles[-4:] or ['nothing'])}"

    async def one_of(self, path: str) -> str:
        """The path of a random item in a list."""
        rows = await all_pages(self.client, path)
        return f"{path}/{self.chance.choice(rows)['id'] if rows else 'nothing'}"

    async def create(self, **fields: Any) -> Response:
        answer = await self.client.post("/v1/articles", json={**self.words(), **fields})
        if answer.status_code == 201:
            self.articles.append(answer.json()["id"])
        return answer

    async def translate(self) -> Response:
        root = self.article().removeprefix("/v1/articles/")
        return await self.create(translationOf=root, locale=self.chance.choice(["de", "fr"]))

    async def patch(self) -> Response:
        body = self.some(
            **self.words(),
            slug=self.chance.choice(["first", "second"]),
            description=self.chance.choice(["", "To begin."]),
            position=self.chance.randrange(3),
            visibility=self.chance.choice(["public", "authenticated"]),
        )
        form = {"format": self.chance.choice(["markdown", "html"])}
        return await self.client.patch(self.article(), json=body, params=form)

    async def publish(self) -> Response:
        return await self.client.post(f"{self.article()}/publish")

    async def unpublish(self) -> Response:
        return await self.client.post(f"{self.article()}/unpublish")

    async def delete(self) -> Response:
        return await self.client.delete(self.article())

    async def restore(self) -> Response:
        return await self.client.post(f"{self.article()}/restore")

    async def save_copy(self) -> None:
        ref = self.article().removeprefix("/v1/articles/")
        try:
            names = {"title": "title", "contentMarkdown": "content"}
            words = {names[field]: value for field, value in self.some(**self.words()).items()}
            await save_copy(self.database, self.company, ref, **words)
        except AppError:
            return

    async def restore_revision(self) -> Response:
        path = f"{self.article()}/revisions"
        listed = await self.client.get(path)
        if listed.status_code == 404:
            return listed
        return await self.client.post(f"{await self.one_of(path)}/restore")

    async def propose(self) -> Response:
        return await self.client.post(f"{self.article()}/drafts", json=self.words())

    async def queue(self) -> None:
        kinds: list[NewType] = ["new_article", "gap_draft"]
        await queue_new(self.database, self.company, self.chance.choice(kinds))
        known_ids = await all_pages(self.client, "/v1/articles")
        self.articles += [row["id"] for row in known_ids if row["id"] not in self.articles]

    async def patch_draft(self) -> Response:
        return await self.client.patch(await self.one_of("/v1/drafts"), json=self.some(**self.words()))

    async def apply(self) -> Response:
        wish = {"onConflict": self.chance.choice(["overwrite", "merge", "fail"])}
        body = {**wish, **self.some(title=self.chance.choice(TITLES))}
        return await self.client.post(f"{await self.one_of('/v1/drafts')}/apply", json=body)

    async def dismiss(self) -> Response:
        return await self.client.post(f"{await self.one_of('/v1/drafts')}/dismiss")

    async def create_entry(self) -> Response:
        return await self.client.post("/v1/changelog/entries", json=self.words())

    async def patch_entry(self) -> Response:
        return await self.client.patch(await self.entry(), json=self.some(**self.words()))

    async def publish_entry(self) -> Response:
        return await self.client.post(f"{await self.entry()}/publish")

    async def unpublish_entry(self) -> Response:
        return await self.client.post(f"{await self.entry()}/unpublish")

    async def entry(self) -> str:
        rows = await all_pages(self.client, "/v1/changelog/entries", status="all")
        return f"/v1/changelog/entries/{self.chance.choice(rows)['id'] if rows else 'nothing'}"


class State:
    """Everything that GET returns at one time, and the ids of all drafts so far."""

    def __init__(
        self, client: Client, articles: Rows, entries: Rows, drafts: Rows, known_ids: Set[str]
    ) -> None:
        self.client = client
        self.articles = articles
        self.entries = entries
        self.drafts = drafts
        self.known_ids = known_ids

    @classmethod
    async def read(cls, client: Client, known_ids: Set[str] = frozenset()) -> "State":
        listed = [
            await all_pages(client, "/v1/articles", page_size=100),
            await all_pages(client, "/v1/changelog/entries", page_size=100, status="all"),
            await all_pages(client, "/v1/drafts", page_size=100),
        ]
        articles, entries, drafts = [{row["id"]: row for row in rows} for rows in listed]
        return cls(client, articles, entries, drafts, known_ids | drafts.keys())

    async def next(self) -> "State":
        return await State.read(self.client, self.known_ids)

    def changes_since(self, old: "State") -> list[Told]:
        """The events between the earlier state and this one, derived from what callers see."""
        deleted: list[Told] = [
            ("article.deleted", row, {}) for id, row in old.articles.items() if id not in self.articles
        ]
        both = [(old.articles[id], row) for id, row in self.articles.items() if id in old.articles]
        changed = [change for pair in both if (change := change_of(*pair))]
        published = [
            ("changelog_entry.published", row, before(old.entries[id], row))
            for id, row in self.entries.items()
            if row["status"] == "published" and old.entries[id]["status"] != "published"
        ]
        # A draft that returns with its article is not a new one.
        proposed: list[Told] = [
            ("edit.proposed" if row["type"] == "edit" else "draft.created", row, {})
            for id, row in self.drafts.items()
            if id not in old.known_ids
        ]
        return deleted + changed + published + proposed


class Replica:
    """A receiver's copy of the live articles, built from the events."""

    def __init__(self) -> None:
        self.live: Rows = {}

    def follow(self, events: list[Told]) -> None:
        for kind, thing, _ in events:
            if kind in ("article.published", "article.updated"):
                self.live[thing["id"]] = seen(thing)
            if kind in ("article.unpublished", "article.deleted"):
                self.live.pop(thing["id"], None)


def change_of(old: Json, new: Json) -> Told | None:
    was_live, is_live = old["status"] == "published", new["status"] == "published"
    if was_live != is_live:
        return ("article.published" if is_live else "article.unpublished"), new, before(old, new)
    return ("article.updated", new, before(old, new)) if is_live and seen(old) != seen(new) else None


def seen(row: Json) -> Json:
    return {name: value for name, value in row.items() if name not in COMING_ALONG}


def written(events: list[Told]) -> list[str]:
    """Sorted, because events of one step have no order."""
    return sorted(json.dumps(event, sort_keys=True) for event in events)
