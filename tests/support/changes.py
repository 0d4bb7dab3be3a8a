"""A code change that makes one article wrong, and helpers for tests of tasks."""

from instep.platform.core.database import Tx
from tests.support.cast import Client, Json

DIFF = """\
diff --git a/src/settings.py b/src/settings.py
--- a/src/settings.py
+++ b/src/settings.py
@@ -1,4 +1,4 @@
 import os
 
-TIMEOUT = int(os.environ.get("ACME_TIMEOUT", "30"))
+TIMEOUT = int(os.environ.get("ACME_REQUEST_TIMEOUT", "30"))
 RETRIES = 3
"""
SETTINGS = "# Settings\n\nSet `ACME_TIMEOUT` to a number of seconds.\n"
SETTINGS_AFTER = "# Settings\n\nSet `ACME_REQUEST_TIMEOUT` to a number of seconds.\n"
# A changed value that the article states next to the exact name, so the draft is certain.
PROVEN = DIFF.replace('ACME_REQUEST_TIMEOUT", "30"', 'ACME_TIMEOUT", "60"')
STATED = "# Timeouts\n\nThe setting `ACME_TIMEOUT` is 30 by default.\n"
PETS = "# Pets\n\nCats and dogs are welcome.\n"
URL = "https://git.test/acme/pull/7"
INSTRUCTIONS = "Exports are made at night.\n\n1. Open the settings.\n2. Choose Export.\n"


def change(**fields: object) -> Json:
    """A request body with the change; fields that are None are omitted."""
    told = {"kind": "pr", "title": "Rename ACME_TIMEOUT to ACME_REQUEST_TIMEOUT", "url": URL, "diff": DIFF}
    return {"change": {name: value for name, value in (told | fields).items() if value is not None}}


def article(**fields: object) -> Json:
    """A request body for a new article."""
    return {"article": {"title": "Export your data", "instructions": INSTRUCTIONS, **fields}}


async def write_articles(client: Client) -> Json:
    """Publish an article that the change does not affect and one that it makes wrong; return the second."""
    await publish(client, "Pets", PETS)
    return await publish(client, "Settings", SETTINGS)


async def publish(client: Client, title: str, text: str, **fields: object) -> Json:
    created = await client.post("/v1/articles", json={"title": title, "contentMarkdown": text, **fields})
    assert created.status_code == 201, created.text
    published: Json = (await client.post(f"/v1/articles/{created.json()['id']}/publish")).json()
    return published


async def send(client: Client, key: str | None = None, **fields: object) -> Json:
    headers = {} if key is None else {"Idempotency-Key": key}
    accepted = await client.post("/v1/tasks", json=change(**fields), headers=headers)
    assert accepted.status_code == 202, accepted.text
    task: Json = accepted.json()
    return task


async def write(client: Client, key: str | None = None, **fields: object) -> Json:
    """Request a new article."""
    headers = {} if key is None else {"Idempotency-Key": key}
    accepted = await client.post("/v1/tasks", json=article(**fields), headers=headers)
    assert accepted.status_code == 202, accepted.text
    task: Json = accepted.json()
    return task


async def get(client: Client, path: str) -> Json:
    answer = await client.get(f"/v1/{path}")
    assert answer.status_code == 200, answer.text
    found: Json = answer.json()
    return found


async def use_up(owner: Tx, subject: str, tasks: int, policy: str = "tasks") -> None:
    """Set the rate-limit window to this many tasks."""
    await owner.execute(
        """
        insert into rate_windows (policy, subject, started_at, hits)
        values (%(policy)s, %(subject)s, clock_timestamp(), %(tasks)s)
        on conflict (policy, subject) do update set started_at = excluded.started_at, hits = excluded.hits
        """,
        policy=policy,
        subject=subject,
        tasks=tasks,
    )
