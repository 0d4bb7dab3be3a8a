"""Random sequences of edits on both sides, and the invariants that must hold after each."""

import asyncio
import random
import re
from collections.abc import Coroutine
from itertools import count
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from instep.transfer.git_sync.file_places import file_place
from instep.transfer.git_sync.pages import parse_page
from tests.support.cast import Client, Json
from tests.support.http import all_pages, body_of
from tests.support.synced_repository import Repository, actions, page

Result = TypeVar("Result")
# Actions reported for a page whose state differs between the two sides.
OPEN = {"conflict", "waiting", "proposed", "refused", "kept"}
NUMBERS = st.integers(0, 1_000)
EDITS = st.sampled_from(["replace", "insert", "delete"])


def own_lines(text: str) -> list[str]:
    """All lines except the one whose link is written differently on the two sides."""
    return [line for line in text.split("\n") if ") stays" not in line]


class SyncMachine(RuleBasedStateMachine):
    """A repository and a help center with random edits; `loop` runs the requests of `client`."""

    loop: asyncio.AbstractEventLoop
    client: Client
    words = count()

    def wait(self, work: Coroutine[Any, Any, Result]) -> Result:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    @initialize()
    def begin(self) -> None:
        self.repository = Repository(self.client)
        self.typed: set[str] = set()
        # Words that someone deleted; they need not appear in a current text.
        self.removed: set[str] = set()
        self.open_paths: set[str] = set()
        self.add_file(0)
        self.sync()

    def word(self) -> str:
        """A new word that no one has typed before."""
        word = f"w{next(self.words)}x"
        self.typed.add(word)
        return word

    @rule(number=NUMBERS)
    def add_file(self, number: int) -> None:
        path = f"{'guides/' if number % 2 else ''}{number % 5}-p{number % 7}.md"
        if path not in self.repository.files:
            lines = "".join(f"{self.word()}\n\n" for _ in range(4))
            self.repository.write(path, page(self.word(), f"[it](./{path.split('/')[-1]}) stays\n\n{lines}"))

    @rule(number=NUMBERS, edit=EDITS, line=NUMBERS)
    def edit_file(self, number: int, edit: str, line: int) -> None:
        if path := self.any_path(number):
            head, mark, body = self.repository.files[path].rpartition("---\n")
            self.repository.write(path, head + mark + self.edited(body, edit, line))

    @rule(number=NUMBERS)
    def title_file(self, number: int) -> None:
        if path := self.any_path(number):
            lines = self.repository.files[path].split("\n")
            self.take_away(lines[1])
            lines[1] = f"title: {self.word()}"
            self.repository.write(path, "\n".join(lines))

    @rule(number=NUMBERS)
    def delete_file(self, number: int) -> None:
        if path := self.any_path(number):
            self.take_away(self.repository.files[path])
            self.repository.delete(path)

    @rule(number=NUMBERS, is_told=st.booleans())
    def rename_file(self, number: int, is_told: bool) -> None:
        path, new = self.any_path(number), f"r{number % 9}.md"
        if path and new not in self.repository.files:
            self.repository.rename(path, new, is_told=is_told)

    @rule(number=NUMBERS, edit=EDITS, line=NUMBERS)
    def edit_article(self, number: int, edit: str, line: int) -> None:
        if article := self.any_article(number):
            content = self.edited(article["contentMarkdown"], edit, line)
            self.wait(self.client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": content}))

    @rule(number=NUMBERS, line=NUMBERS)
    def edit_both_sides(self, number: int, line: int) -> None:
        """Edit the same line on both sides, or lines next to each other."""
        if path := self.any_path(number):
            self.edit_file(number, "replace", line)
            title = self.repository.files[path].split("\n")[1].removeprefix("title: ")
            rows = self.wait(all_pages(self.client, "/v1/articles"))
            for article in [row for row in rows if row["title"] == title]:
                content = self.edited(article["contentMarkdown"], "replace", line)
                self.wait(
                    self.client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": content})
                )

    @rule(number=NUMBERS)
    def title_article(self, number: int) -> None:
        if article := self.any_article(number):
            self.take_away(article["title"])
            self.wait(self.client.patch(f"/v1/articles/{article['id']}", json={"title": self.word()}))

    @rule(number=NUMBERS, status=st.sampled_from(["publish", "unpublish"]))
    def change_status(self, number: int, status: str) -> None:
        if article := self.any_article(number):
            self.wait(self.client.post(f"/v1/articles/{article['id']}/{status}"))

    @rule(number=NUMBERS, other=NUMBERS)
    def swap_articles(self, number: int, other: int) -> None:
        """Swap the positions of two articles in a collection."""
        if article := self.any_article(number):
            home = article["collectionId"]
            rows = [row for row in self.wait(self.listed()) if row["collectionId"] == home]
            neighbour = sorted(rows, key=lambda row: str(row["id"]))[other % len(rows)]
            for row, position in ((article, neighbour["position"]), (neighbour, article["position"])):
                self.wait(self.client.patch(f"/v1/articles/{row['id']}", json={"position": position}))

    @rule(number=NUMBERS, other=NUMBERS)
    def move_article(self, number: int, other: int) -> None:
        """Move an article into another collection or out of its collection."""
        if article := self.any_article(number):
            rows = self.wait(all_pages(self.client, "/v1/collections"))
            homes = [None, *sorted(row["id"] for row in rows)]
            body = {"collectionId": homes[other % len(homes)]}
            self.wait(self.client.patch(f"/v1/articles/{article['id']}", json=body))

    @rule(number=NUMBERS)
    def rename_article(self, number: int) -> None:
        if article := self.any_article(number):
            self.wait(self.client.patch(f"/v1/articles/{article['id']}", json={"slug": f"s{number}"}))

    @rule(number=NUMBERS, place=st.integers(0, 9))
    def renumber_file(self, number: int, place: int) -> None:
        """Change a file's number or move it into another folder."""
        if path := self.any_path(number):
            name = re.sub(r"^\d+-", "", path.rpartition("/")[2])
            new = f"{'guides/' if number % 3 else ''}{place}-{name}"
            if new not in self.repository.files and not self.has_slug(path):
                self.repository.rename(path, new, is_told=bool(number % 2))

    @rule(number=NUMBERS, place=st.integers(0, 9))
    def order_file(self, number: int, place: int) -> None:
        """Set the order in a file's front matter."""
        if path := self.any_path(number):
            head, mark, body = self.repository.files[path].partition("\n---\n")
            kept = [line for line in head.split("\n") if not line.startswith("order:")]
            self.repository.write(path, "\n".join([*kept, f"order: {place}"]) + mark + body)

    @rule(number=NUMBERS)
    def delete_article(self, number: int) -> None:
        if number % 3 == 0 and (article := self.any_article(number)):
            self.take_away(f"{article['title']} {article['contentMarkdown']}")
            self.wait(self.client.delete(f"/v1/articles/{article['id']}"))

    @rule()
    def add_article(self) -> None:
        body = {"title": self.word(), "contentMarkdown": f"{self.word()}\n\n{self.word()}\n"}
        article = body_of(self.wait(self.client.post("/v1/articles", json=body)))
        self.wait(self.client.post(f"/v1/articles/{article['id']}/publish"))

    @rule(number=NUMBERS, verdict=st.sampled_from(["apply", "overwrite", "dismiss"]))
    def settle_draft(self, number: int, verdict: str) -> None:
        drafts = self.wait(all_pages(self.client, "/v1/drafts"))
        if drafts:
            body = {"apply": {}, "overwrite": {"onConflict": "overwrite"}, "dismiss": {}}[verdict]
            door = "dismiss" if verdict == "dismiss" else "apply"
            draft = drafts[number % len(drafts)]
            for path in (f"/v1/drafts/{draft['id']}", f"/v1/articles/{draft['articleId']}"):
                text = body_of(self.wait(self.client.get(path)))
                self.take_away(f"{text['title']} {text['contentMarkdown']}")
            self.wait(self.client.post(f"/v1/drafts/{draft['id']}/{door}", json=body))

    @rule(commits=st.booleans(), drafts=st.booleans())
    def sync_somehow(self, commits: bool, drafts: bool) -> None:
        self.check(self.wait(self.repository.sync(commits=commits, drafts=drafts)))

    @rule()
    def sync(self) -> None:
        """Sync until done: syncing the job's own commit changes nothing."""
        before = dict(self.repository.files)
        answer = self.wait(self.repository.sync())
        self.check(answer)
        self.open_paths = {path for path, action in actions(answer).items() if action in OPEN}
        self.hold_bytes(before)
        for _ in range(2):
            again = self.wait(self.repository.sync())
            assert again["writes"] == [], again
            assert set(actions(again).values()) <= OPEN, again
        self.hold_in_step()
        self.hold_places()
        self.hold_present_lines()

    def check(self, answer: Json) -> None:
        """No file with an open action is written."""
        written = {row["path"] for row in answer["writes"]}
        told = actions(answer)
        assert not {path for path in written if told.get(path) in OPEN}, answer

    def hold_bytes(self, before: dict[str, str]) -> None:
        """The line that no one edits is unchanged, byte for byte, in every file that had it."""
        for path, text in self.repository.files.items():
            assert text.startswith("---\ntitle: "), text
            if "stays" in before.get(path, ""):
                assert ") stays\n" in text

    def hold_in_step(self) -> None:
        """Pages without an open action are equal on both sides, line by line."""
        articles = {row["slug"]: row for row in self.wait(all_pages(self.client, "/v1/articles"))}
        for path, text in self.repository.files.items():
            if path in self.open_paths:
                continue
            file = parse_page(path, text)
            assert file is not None, (path, text)
            article = articles[file.slug]
            assert file.matter["title"] == article["title"]
            assert own_lines(file.file.body) == own_lines(article["contentMarkdown"])

    def hold_places(self) -> None:
        """Files are in the folders of their articles' collections, in the same order."""
        if self.open_paths:
            return
        articles = {row["slug"]: row for row in self.wait(self.listed())}
        collections = {row["id"]: row["slug"] for row in self.wait(all_pages(self.client, "/v1/collections"))}
        folders: dict[str, list[tuple[int, str, Json]]] = {}
        for path, text in self.repository.files.items():
            file = parse_page(path, text)
            if file is None or file.kind != "article" or file.slug not in articles:
                continue
            article = articles[file.slug]
            home = file.matter.get("collection", path.rpartition("/")[0].lower() or "/")
            assert home == collections.get(article["collectionId"], "/"), (path, text, article)
            if (place := file_place(file)) is not None:
                folders.setdefault(home, []).append((place, path, article))
        for rows in folders.values():
            rows.sort(key=lambda row: row[:2])
            in_instep = sorted(rows, key=lambda row: (row[2]["position"], row[2]["id"]))
            assert [row[1] for row in rows] == [row[1] for row in in_instep], rows

    def hold_present_lines(self) -> None:
        """Every word that no one deleted is in a current file or article, not only in the history."""
        articles = self.wait(all_pages(self.client, "/v1/articles"))
        texts = [f"{row['title']}\n{row['contentMarkdown']}" for row in articles]
        present = "\n".join([*self.repository.files.values(), *texts])
        assert [word for word in self.typed - self.removed if word not in present] == []

    @invariant()
    def hold_every_line(self) -> None:
        """Every word ever typed is in an article, a file, a draft, or a history."""
        if hasattr(self, "repository"):
            self.wait(self.hold_lines())

    async def hold_lines(self) -> None:
        kept = "\n".join([*self.repository.history, *await self.texts_of_instep()])
        assert [word for word in self.typed if word not in kept] == []

    async def texts_of_instep(self) -> list[str]:
        raise NotImplementedError

    def take_away(self, text: str) -> None:
        self.removed |= set(re.findall(r"w\d+x", text))

    def any_path(self, number: int) -> str | None:
        paths = sorted(self.repository.files)
        return paths[number % len(paths)] if paths else None

    def has_slug(self, path: str) -> bool:
        return "\nslug: " in self.repository.files[path]

    async def listed(self) -> list[Json]:
        rows = await all_pages(self.client, "/v1/articles")
        return [row for row in rows if row["status"] != "archived"]

    def any_article(self, number: int) -> Json | None:
        rows = self.wait(self.listed())
        return sorted(rows, key=lambda row: str(row["id"]))[number % len(rows)] if rows else None

    def edited(self, text: str, edit: str, number: int) -> str:
        """The text with one line added, removed or replaced; the line that must stay is never chosen."""
        lines = text.split("\n")
        places = [index for index, line in enumerate(lines) if line and ") stays" not in line]
        if not places or edit == "insert":
            return text + f"{self.word()}\n" if number % 2 else text + f"\n{self.word()}\n"
        place = random.Random(number).choice(places)
        self.take_away(lines[place])
        lines[place : place + 1] = [self.word()] if edit == "replace" else []
        return "\n".join(lines)
