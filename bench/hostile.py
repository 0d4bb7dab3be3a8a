"""`make bench-hostile`: how long others wait while hostile texts are saved, shown, reviewed and synced."""

import argparse
import asyncio
import hashlib
import re
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import httpx2
import psycopg

from bench.installation import PORT, URL, installed, servers
from instep.accounts.people.actions import create_user
from instep.accounts.workspaces.actions import find_workspace
from instep.platform.core.database import Tx
from instep.platform.identity.scopes import Role

EMAIL, PASSWORD = "ann@acme.example", "four words nobody connects"
TOKEN = re.compile(r'name="form-token" value="([0-9a-f]{64})"')
LOOK_SECONDS = 0.01
# A server that serves nobody for so long is hung for its users.
PATIENCE_SECONDS = 180
COMMIT = "1" * 40


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="attacks whose name holds this")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, installed(Path(folder)) as (database, _, keys):
        asyncio.run(sign_up(database))
        for name, attack in ATTACKS.items():
            if options.only not in name:
                continue
            # Each begins with a server of its own, so that none waits for what the one before has left.
            with servers(Path(folder)), httpx2.Client(base_url=URL, timeout=PATIENCE_SECONDS) as client:
                client.headers["Authorization"] = f"Bearer {keys[0]}"
                measure(name, attack, client)


async def sign_up(database: str) -> None:
    async with await psycopg.AsyncConnection.connect(database, autocommit=True) as connection:
        tx = Tx(connection)
        await create_user(tx, (await find_workspace(tx, None)).id, EMAIL, Role.OWNER, PASSWORD)


def measure(name: str, attack: Callable[[httpx2.Client], str], client: httpx2.Client) -> None:
    # The first page of a process reads its templates and catalogs.
    client.get(f"/help/{client.get('/v1/bots').json()['results'][0]['slug']}/articles/article-0")
    with watching() as waits:
        began = time.perf_counter()
        try:
            outcome = attack(client)
        except httpx2.TimeoutException:
            outcome = "no answer"
        seconds = time.perf_counter() - began
    print(
        f"{name:44} {seconds:7.1f} s  others waited at most {max(waits) * 1000:8.0f} ms  {outcome}",
        flush=True,
    )


@contextmanager
def watching() -> Iterator[list[float]]:
    """The seconds of each `/healthz` request that another caller sends in a loop."""
    waits, stop = [0.0], threading.Event()

    def look() -> None:
        while not stop.wait(LOOK_SECONDS):
            began = time.perf_counter()
            connection = HTTPConnection("127.0.0.1", PORT, timeout=PATIENCE_SECONDS)
            try:
                connection.request("GET", "/healthz")
                connection.getresponse().read()
            except OSError:
                pass
            finally:
                connection.close()
            waits.append(time.perf_counter() - began)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield waits
    finally:
        stop.set()
        thread.join()


def article(client: httpx2.Client, text: str) -> dict[str, Any]:
    answer = client.post("/v1/articles", json={"title": "Hostile", "contentMarkdown": text})
    answer.raise_for_status()
    made: dict[str, Any] = answer.json()
    return made


def show_code(client: httpx2.Client, code: str, languages: tuple[str, ...], count: int) -> str:
    text = "\n".join(f"```{language}\n{code}\n```\n" for language in languages for _ in range(count))
    made = article(client, text)
    published = client.post(f"/v1/articles/{made['id']}/publish").json()
    path = published["url"].partition(":")[2].partition("/")[2].partition("/")[2].partition("/")[2]
    statuses = [client.get(f"/{path}?q={number}").status_code for number in range(5)]
    return f"pages {statuses}"


def review(client: httpx2.Client, before: str, after: str) -> str:
    made = article(client, before)
    client.post(f"/v1/articles/{made['id']}/publish").raise_for_status()
    draft = client.post(f"/v1/articles/{made['id']}/drafts", json={"contentMarkdown": after})
    draft.raise_for_status()
    slug = client.get("/v1/bots").json()["results"][0]["slug"]
    with httpx2.Client(base_url=URL, timeout=PATIENCE_SECONDS) as person:
        here = {"Sec-Fetch-Site": "same-origin"}
        token = TOKEN.findall(person.get("/sign-in").text)[0]
        fields = {"form-token": token, "email": EMAIL, "password": PASSWORD, "next": "/app/"}
        person.post("/sign-in", data=fields, headers=here)
        page = f"/app/{slug}/review/{draft.json()['id']}"
        shown = [person.get(f"{page}{view}") for view in ("", "?view=text", "?view=sides")]
        token = TOKEN.findall(shown[0].text)[0]
        dismissed = person.post(
            f"{page}/dismiss", data={"form-token": token, "reason": "not_needed"}, headers=here
        )
    return f"views {[answer.status_code for answer in shown]}, dismissal {dismissed.status_code}"


def sync(client: httpx2.Client, texts: list[str]) -> str:
    files = [
        {"path": f"a{number}.md", "sha256": hashlib.sha256(text.encode()).hexdigest(), "content": text}
        for number, text in enumerate(texts)
    ]
    body = {"folder": "docs", "commit": COMMIT, "files": files, "dryRun": True}
    return f"status {client.post('/v1/sync', json=body).status_code}"


def ask_readiness(client: httpx2.Client) -> str:
    statuses = [client.get("/readyz").status_code for _ in range(1_000)]
    return f"{statuses.count(200)} of 1,000 answered"


def save_texts(client: httpx2.Client) -> str:
    for _ in range(100):
        article(client, "Words of a text.\n\n" * 100)
    return "100 saved"


BLANKS = "a" + " " * 5_999
ATTACKS: dict[str, Callable[[httpx2.Client], str]] = {
    "nothing hostile": save_texts,
    "a block of C of 6,000 blanks": lambda client: show_code(client, BLANKS, ("c",), 1),
    "50 blocks of C, C++ and C# without blanks": lambda client: show_code(
        client, "a\n" * 2_000, ("c", "cpp", "csharp", "java", "ini"), 10
    ),
    "a draft of 32 KB of swapped lines": lambda client: review(client, "b\na\n" * 8_000, "a\nb\n" * 8_000),
    "a draft of 60 KB of blank lines": lambda client: review(
        client, "Text.\n", "Text.\n" + "\n" * 60_000 + "end\n"
    ),
    "a draft of 4,000 changed paragraphs": lambda client: review(
        client,
        *("\n\n".join(f"w{number} {word}" for number in range(4_000)) for word in ("x", "y")),
    ),
    "20 files of nested front matter": lambda client: sync(
        client, [f"---\ntitle: A\nx: {'[' * 2_000}\n---\nText {number}\n" for number in range(20)]
    ),
    "500 files of long front matter": lambda client: sync(
        client,
        [
            "---\ntitle: A\n" + "".join(f"k{row}: {number}\n" for row in range(900)) + "---\nText\n"
            for number in range(500)
        ],
    ),
    "1,000 questions whether it is ready": ask_readiness,
}


if __name__ == "__main__":
    main()
