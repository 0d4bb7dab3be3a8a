"""A backup taken during writes is a consistent snapshot, and a restored server gives the same responses."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import pytest

from instep.demo.help import read_help
from tests.support.cast import Json
from tests.support.file_samples import picture
from tests.support.installation import Installation, installed

WRITERS = 4
WRITES_BEFORE = 5
PAGES_COMPARED = 150
LISTS = (
    "articles?status=all",
    "articles?format=html",
    "articles/deleted",
    "collections",
    "changelog/entries",
    "drafts",
    "files",
    "redirects",
    "webhooks",
    "tasks",
    "insights/health",
    "insights/unanswered",
)
QUESTIONS = ("restore a backup", "webhook signature", "INSTEP_SITE_URL", "translations", "slow clients")
PUBLIC = ("", "sitemap.xml", "changelog", "changelog.xml", "llms.txt", "llms-full.txt", "search?q=backup")
KEY = {
    "INSTEP_SECRET_KEY": "one key for both of the installations",
    "INSTEP_ANONYMOUS_REQUESTS_PER_MINUTE": "100000",
}
KEY |= {"INSTEP_PUBLIC_REQUESTS_PER_MINUTE": "100000"}


@dataclass
class Writer:
    """Writes a rising number into one article and then into another."""

    client: httpx2.Client
    name: str
    acknowledged: int = 0
    sent: int = 0
    ids: list[str] = field(default_factory=list)

    def prepare(self) -> None:
        for half in "ab":
            body = {"title": f"{self.name} {half}", "contentMarkdown": "0"}
            self.ids.append(self.client.post("/v1/articles", json=body).raise_for_status().json()["id"])

    def write(self) -> None:
        self.sent += 1
        for article in self.ids:
            body = {"contentMarkdown": str(self.sent)}
            self.client.patch(f"/v1/articles/{article}", json=body).raise_for_status()
        self.acknowledged = self.sent


@contextmanager
def writing(writers: list[Writer]) -> Iterator[None]:
    """All writers write until the block ends; it begins after each has written."""
    stop = threading.Event()
    begun = threading.Barrier(len(writers) + 1)

    def work(writer: Writer) -> None:
        for _ in range(WRITES_BEFORE):
            writer.write()
        begun.wait()
        while not stop.is_set():
            writer.write()

    threads = [threading.Thread(target=work, args=[writer]) for writer in writers]
    for thread in threads:
        thread.start()
    begun.wait()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


@pytest.mark.backups
def test_a_backup_under_load_is_one_moment(tmp_path: Path) -> None:
    with installed(**KEY) as first, installed(**KEY) as second:
        first.serve()
        writers = [Writer(first.client(), f"writer {number}") for number in range(WRITERS)]
        for writer in writers:
            writer.prepare()
        with writing(writers):
            before = [writer.acknowledged for writer in writers]
            made = first.run("backup", str(tmp_path / "a.zip"))
            after = [writer.sent for writer in writers]
        assert sum(after) > sum(before), "nobody wrote while the backup was made"

        second.run("restore", str(tmp_path / "a.zip"))
        second.key = first.key
        second.serve()
        client = second.client()

        assert made["rows"] > 0
        for writer, least, most in zip(writers, before, after, strict=True):
            articles = [
                client.get(f"/v1/articles/{article}").raise_for_status().json() for article in writer.ids
            ]
            first_text, second_text = (int(article["contentMarkdown"]) for article in articles)
            assert least <= second_text <= first_text <= second_text + 1 <= most + 1
            for article in articles:
                revisions = client.get(f"/v1/articles/{article['id']}/revisions?page_size=100").json()[
                    "results"
                ]
                assert article["version"] == int(article["contentMarkdown"]) + 1
                assert len(revisions) == min(50, int(article["contentMarkdown"]))
            # The writer continues where the backup ended.
            writer.client, writer.sent = client, first_text
            writer.write()


@pytest.mark.backups
def test_the_restored_server_answers_as_the_first_one_did(tmp_path: Path) -> None:
    with installed(**KEY) as first, installed(**KEY) as second:
        first.serve("--no-jobs")
        client = first.client()
        fill(client)
        first.run("backup", str(tmp_path / "a.zip"))
        second.run("restore", str(tmp_path / "a.zip"))
        second.key = first.key
        second.serve("--no-jobs")
        other = second.client()

        slug = client.get("/v1/bots").json()["results"][0]["slug"]
        paths = [*api_paths(client), *public_paths(client, slug)]
        assert len(paths) > PAGES_COMPARED
        different = [path for path in paths if answer(first, client, path) != answer(second, other, path)]

        assert different == []


def fill(client: httpx2.Client) -> None:
    """Create Instep's own help center with a picture, a redirect, a webhook, drafts and a changelog entry."""
    for section in read_help():
        made = client.post("/v1/collections", json={"title": section.about.title}).raise_for_status().json()
        for page in section.pages:
            body = {"title": page.title, "contentMarkdown": page.text, "collectionId": made["id"]}
            posted = client.post("/v1/articles", json=body).raise_for_status()
            client.post(f"/v1/articles/{posted.json()['id']}/publish").raise_for_status()
    file = client.post(
        "/v1/files?name=a.png", content=picture(), headers={"Content-Type": "image/png"}
    ).json()
    # An absolute URL would point to the first server.
    shown: Json = {"title": "Picture", "contentMarkdown": f"![A picture]({httpx2.URL(file['url']).path})"}
    article = client.post("/v1/articles", json=shown).json()["id"]
    client.post(f"/v1/articles/{article}/publish").raise_for_status()
    client.post(f"/v1/articles/{article}/drafts", json={"contentMarkdown": "Another text"}).raise_for_status()
    client.post("/v1/redirects", json={"from": "/old", "articleId": article}).raise_for_status()
    entry = client.post(
        "/v1/changelog/entries", json={"title": "New", "contentMarkdown": "It is new."}
    ).json()
    client.post(f"/v1/changelog/entries/{entry['id']}/publish").raise_for_status()
    client.post("/v1/webhooks", json={"url": "https://example.com/hook", "events": ["*"]}).raise_for_status()


def api_paths(client: httpx2.Client) -> list[str]:
    articles = client.get("/v1/articles?page_size=100").json()["results"]
    return [
        *(f"/v1/{name}" for name in LISTS),
        *(f"/v1/articles/{article['id']}" for article in articles),
        *(f"/v1/search?query={question.replace(' ', '+')}" for question in QUESTIONS),
    ]


def public_paths(client: httpx2.Client, slug: str) -> list[str]:
    sitemap = client.get(f"/help/{slug}/sitemap.xml").text
    pages = re.findall(r"<loc>https?://[^/]+(/[^<]+)</loc>", sitemap)
    return [*(f"/help/{slug}/{name}" for name in PUBLIC), *pages, *(f"{page}.md" for page in pages[1:])]


def answer(installation: Installation, client: httpx2.Client, path: str) -> tuple[int, str]:
    """Status and text of a response, without values that differ per request or host."""
    response = client.get(path)
    text = response.text.replace(installation.url, "http://here")
    return response.status_code, re.sub(r'nonce="[^"]*"|name="csrf" value="[^"]*"|req_\w+', "", text)
