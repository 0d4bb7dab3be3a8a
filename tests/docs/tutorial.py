"""Follows a page of the documentation literally: blocks in the terminal, sentences in the browser."""

import re
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import Page, expect

from tests.docs.terminal import Terminal

LINE = re.compile(r"\d+\. (.+)")
LINK = re.compile(r"(http://\S+\?token=\S+)\s")


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the page; `kind` is `block` or `sentence`."""

    title: str
    kind: str
    text: str


def steps_of(page: Path) -> Iterator[Step]:
    """All steps in the order of the page, each with its heading."""
    title = ""
    block: list[str] | None = None
    for line in page.read_text().splitlines():
        if block is not None:
            if line == "```":
                yield Step(title, "block", "".join(block))
                block = None
            else:
                block.append(f"{line}\n")
        elif line == "```sh":
            block = []
        elif line.startswith("## "):
            title = line.removeprefix("## ")
        elif match := LINE.fullmatch(line):
            yield Step(title, "sentence", match[1])


class Reader:
    """Does what a page says, sentence by sentence, in one terminal and one browser window."""

    def __init__(self, terminal: Terminal, window: Page) -> None:
        self.terminal, self.window = terminal, window
        self.copied = ""

    async def do(self, step: Step) -> None:
        if step.kind == "block":
            await self.terminal.enter(step.text)
        else:
            await self.do_sentence(step.text)

    async def do_sentence(self, sentence: str) -> None:
        for pattern, act in SENTENCES.items():
            if match := re.fullmatch(pattern, sentence):
                await act(self, *match.groups())
                return
        raise AssertionError(f"nobody can do this sentence for certain: {sentence}")

    async def open_link(self) -> None:
        match = await self.terminal.until(LINK, 600)
        await self.window.goto(match[1])

    async def open_address(self, address: str) -> None:
        await self.terminal.until_done()
        await self.window.goto(address)

    async def open_when_said(self, address: str, words: str) -> None:
        await self.terminal.until(re.compile(re.escape(words)), 60)
        await self.open_address(address)

    async def press(self, name: str) -> None:
        places = self.window.get_by_role("button", name=name, exact=True)
        await places.or_(self.window.get_by_role("link", name=name, exact=True)).first.click()

    async def type(self, text: str, label: str) -> None:
        await self.window.get_by_label(label, exact=True).first.fill(text)

    async def see(self, text: str) -> None:
        await expect(self.window.get_by_text(text).locator("visible=true").first).to_be_visible()

    async def copy_key(self) -> None:
        self.copied = await self.window.get_by_label("Key", exact=True).input_value()

    async def copy_field(self, label: str) -> None:
        self.copied = await self.window.get_by_label(label).input_value()

    async def paste(self) -> None:
        self.terminal.type(f"{self.copied}\n")

    async def interrupt(self) -> None:
        self.terminal.interrupt()
        await self.terminal.until_done()


SENTENCES: dict[str, Callable[..., Awaitable[None]]] = {
    r"Open the link that it prints\.": Reader.open_link,
    r"Open `(\S+)`\.": Reader.open_address,
    r"Open `(\S+)` when the terminal says “(.+)”\.": Reader.open_when_said,
    r"Press \*\*(.+)\*\*\.": Reader.press,
    r"Type `(.+)` into \*\*(.+)\*\*\.": Reader.type,
    r"The page says “(.+)”\.": Reader.see,
    r"Copy the key\.": Reader.copy_key,
    r"Copy the text of \*\*(.+)\*\*\.": Reader.copy_field,
    r"Paste it in the terminal\.": Reader.paste,
    r"Press Ctrl-C in the terminal\.": Reader.interrupt,
}
