"""Helpers for tests of the public help center: visitors, and the contents of pages."""

import re
from html import unescape
from html.parser import HTMLParser

import httpx2

from instep.platform.core.database import Tx
from instep.platform.web.assets import built_style
from tests.support.cast import Api, Cast, Client, Json

# The machine-readable pages of every help center, besides the sitemap and the feed.
FOR_PROGRAMS = ("changelog.atom", "changelog.json", "llms.txt", "llms-full.txt", "opensearch.xml")
# Pages that are also available as Markdown.
TEXT_PAGE = re.compile(r"/help/[^/]+(?:/[^/]+)?/(?:articles|changelog)/[^/?]+(?<!\.md)(?<!\.atom)")
# The site's only script, which its pages also work without.
SITE_SCRIPT = re.compile(r"/static/dist/site\.\w{8}\.js")
# The URLs in sitemaps and feeds.
LISTED = re.compile(r"<(?:loc|link)>([^<]+)<")

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


async def visit(api: Api, path: str, **headers: str) -> httpx2.Response:
    """A request as a browser without a session sends it, without following redirects."""
    return await api(None).get(f"/help/{path}", headers=headers)


async def send_form(
    api: Api, cast: Cast, path: str, fields: dict[str, str], **headers: str
) -> httpx2.Response:
    return await api(None).post(f"/help/{cast.acme.slug}/{path}", data=fields, headers={**FORM, **headers})


def hidden_fields(html: str) -> dict[str, str]:
    """The hidden fields of a page's POST forms."""
    pairs = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', html)
    return {name: unescape(value) for name, value in pairs}


async def publish(client: Client, title: str, text: str = "Words.", **fields: object) -> Json:
    body = {"title": title, "contentMarkdown": text, **fields}
    created = await client.post("/v1/articles", json=body)
    assert created.status_code == 201, created.text
    published: Json = (await client.post(f"/v1/articles/{created.json()['id']}/publish")).json()
    return published


async def collect(client: Client, title: str, **fields: object) -> Json:
    created = await client.post("/v1/collections", json={"title": title, **fields})
    assert created.status_code == 201, created.text
    collection: Json = created.json()
    return collection


async def set_article(owner: Tx, article: Json, assignment: str) -> None:
    """Set columns that the API has no operation for."""
    await owner.execute(f"update articles set {assignment} where id = %(id)s", id=article["id"])


def without_own_style(html: str) -> str:
    """A page without the site's style sheet, which is the same on all pages."""
    return html.replace(built_style("site.css").element, "")


class Page(HTMLParser):
    """The tags, links, title and words of a page, without the site's style sheet."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        # The end of each tag by its index in `tags`: the number of tags opened before it.
        self.ends: dict[int, int] = {}
        self.open: list[tuple[str, int]] = []
        self.words: list[str] = []
        self.feed(without_own_style(html))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "script" and ("type", "application/ld+json") in attrs:
            # Data blocks are never run by browsers.
            tag = "data block"
        self.open.append((tag, len(self.tags)))
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        # Void elements stay open until their parent ends.
        while self.open:
            name, index = self.open.pop()
            self.ends[index] = len(self.tags)
            if name == tag:
                break

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def names(self) -> set[str]:
        return {tag for tag, _ in self.tags}

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    @property
    def foreign_scripts(self) -> list[dict[str, str | None]]:
        """Scripts other than the site's own."""
        return [
            attrs for attrs in self.attributes("script") if not SITE_SCRIPT.fullmatch(attrs.get("src") or "")
        ]

    def attributes(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag]

    def links_in(self, tag: str, label: str) -> list[str]:
        """The links inside the one element with this accessible name."""
        start = next(
            index
            for index, (name, attrs) in enumerate(self.tags)
            if name == tag and attrs.get("aria-label") == label
        )
        return [attrs["href"] or "" for name, attrs in self.tags[start : self.ends[start]] if name == "a"]

    @property
    def links(self) -> list[str]:
        return [attrs["href"] or "" for attrs in self.attributes("a") if "href" in attrs]


async def crawl(api: Api, cast: Cast) -> dict[str, str]:
    """Every page reachable from the home page, feed and sitemap of Acme's help center."""
    pages_by_path: dict[str, str] = {}
    here = f"/help/{cast.acme.slug}"
    paths = {f"{here}/", f"{here}/changelog", f"{here}/changelog.xml", f"{here}/sitemap.xml"}
    paths |= {f"{here}/{name}" for name in FOR_PROGRAMS}
    while fresh := paths - pages_by_path.keys():
        path = fresh.pop()
        answer = await api(None).get(path)
        assert answer.status_code == 200, path
        pages_by_path[path] = answer.text
        paths |= {link for link in Page(answer.text).links if link.startswith("/")}
        paths |= {link.removeprefix("http://help.test") for link in LISTED.findall(answer.text)}
        if TEXT_PAGE.fullmatch(path):
            paths.add(f"{path}.md")
    return pages_by_path
