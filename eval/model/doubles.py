"""A double of a language model for one change: it makes the edits that people made, as far as it sees them.

The recall that it reaches is the most that any model can reach: what it misses was not chosen, not shown, or
refused.
"""

import json
import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any

from instep.drafting.writer.llm.article_contents import section_spans
from instep.drafting.writer.llm.edit_prompt import EDIT_PROMPT
from instep.drafting.writer.llm.section_choice import CHOICE_PROMPT, MAX_SECTIONS
from instep.platform.llm.protocol import Completion, OnText, Prompt

_ARTICLE_PART = re.compile(r"(?ms)^===== BEGIN article (A\d+) \w+ =====\n(.*?)\n\n(.*?)\n===== END article")
_TITLE_LINE = re.compile(r"(?m)^(A\d+) (.*)$")
_NUMBERED = re.compile(r"(?m)^(\d+)\|(.*)$")
_TITLE_CHARACTERS = 140


class Oracle:
    """The edits that people made to `texts`, the articles by their titles, as `people` has them."""

    name = "oracle"

    def __init__(self, texts: Mapping[str, tuple[str, str]], people: Mapping[str, str], diff: str) -> None:
        self.texts = texts
        self.people = people
        self.quote = next(
            (line for line in diff.split("\n") if line[:1] == "+" and line[3:].strip()), diff[:80]
        )
        self.prompts: list[Prompt] = []
        # The articles that a prompt offered, and those of which a prompt showed a line to edit.
        self.offered: set[str] = set()
        self.shown: set[str] = set()

    async def complete(self, prompt: Prompt, on_text: OnText | None = None) -> Completion:
        self.prompts.append(prompt)
        answers = {CHOICE_PROMPT: self.choice, EDIT_PROMPT: self.edits}
        text = json.dumps(answers[prompt.system](prompt.user)) if prompt.system in answers else "{}"
        tokens = (len(prompt.system) + len(prompt.user) + len(json.dumps(prompt.schema)) + len(text)) // 4
        return Completion(text, tokens)

    def choice(self, user: str) -> dict[str, Any]:
        sections = []
        for alias, title in _TITLE_LINE.findall(user):
            for article_id in self.edited(title):
                self.offered.add(article_id)
                text = self.texts[article_id][1]
                hunks = list(self.hunks(article_id))
                for span in section_spans(text):
                    if any(
                        first - (last < first) <= span.last and last >= span.first for first, last, _ in hunks
                    ):
                        sections.append({"section": f"{alias}.{span.number}", "reason": ""})
        return {"sections": sections[:MAX_SECTIONS], "searches": []}

    def edits(self, user: str) -> dict[str, Any]:
        edits = []
        for alias, title, body in _ARTICLE_PART.findall(user):
            lines = {int(number): text for number, text in _NUMBERED.findall(body)}
            for article_id in self.edited(title):
                texts = self.texts[article_id][1].split("\n")
                if any(
                    not 0 < n <= len(texts) or not is_line(texts[n - 1], line) for n, line in lines.items()
                ):
                    continue
                made = list(self.edits_of(article_id, alias, lines))
                if made:
                    self.shown.add(article_id)
                edits += made
        return {"edits": edits, "articles": [], "unchanged": [], "show": [], "searches": []}

    def edited(self, title: str) -> list[str]:
        """The articles that people edited with this title, or with one that begins with it or is repeated."""
        short_titles = {id: self.texts[id][0][:_TITLE_CHARACTERS] for id in self.people}
        return [
            id
            for id, short_title in short_titles.items()
            if title in (self.texts[id][0], short_title, f"{short_title} ({id[:_TITLE_CHARACTERS]})")
        ]

    def hunks(self, article_id: str) -> Iterator[tuple[int, int, str]]:
        """The first and last line, from 1, of what people replaced, and the new lines.

        An insertion has a last line before its first one. Blank lines alone are left out.
        """
        before, after = self.texts[article_id][1].split("\n"), self.people[article_id].split("\n")
        for kind, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            old, new = "\n".join(before[i1:i2]), "\n".join(after[j1:j2])
            if kind != "equal" and (old.strip() or new.strip()):
                yield i1 + 1, i2 if old.strip() else i1, new

    def edits_of(self, article_id: str, alias: str, shown: Mapping[int, str]) -> Iterator[dict[str, Any]]:
        form = {"article": alias, "last": 0, "to": 0, "old": "", "new": "", "reason": "", "quote": self.quote}
        for first, last, new in self.hunks(article_id):
            if last < first:
                if first - 1 in shown or first == 1:
                    old = shown.get(first - 1, "")
                    yield {**form, "action": "insert", "line": first - 1, "old": old, "new": new}
            elif all(number in shown for number in range(first, last + 1)):
                old = "\n".join(shown[number] for number in range(first, last + 1))
                if new.strip():
                    yield {**form, "action": "replace", "line": first, "old": old, "new": new}
                else:
                    yield {**form, "action": "delete", "line": first, "last": last, "old": shown[first]}


def is_line(text: str, line: str) -> bool:
    """True if a prompt shows the text so: the cells of a table without their padding."""
    return text == line or text.split() == line.split()
