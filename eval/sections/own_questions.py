"""Sixty questions of newcomers about Instep, with the sections of `docs/help` that answer them.

They were written from the README and the specification, before anyone looked at the articles; the sections
that a fair reader accepts were filled in afterwards. If no section is named, the articles hold no answer.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Literal

from instep.demo.help import HELP, ORDER, read_help
from instep.search.schemas import Passage
from instep.visitors.answers.schemas import Answer

QUESTIONS_FILE = Path(__file__).parent / "questions.json"
# The verdicts on an answer. A decline is right if the articles hold no answer.
Verdict = Literal["right", "wrong", "declined"]


@dataclass(frozen=True, slots=True)
class GoldPassage:
    """A section of an article and words of its answer; `section` is `None` for what is above the headings."""

    article: str
    section: str | None
    says: str

    @property
    def slug(self) -> str:
        return ORDER.sub("", PurePosixPath(self.article).stem)


@dataclass(frozen=True, slots=True)
class OwnQuestion:
    """A question and every passage that answers it; none if the articles hold no answer."""

    question: str
    passages: tuple[GoldPassage, ...]


def read_questions() -> list[OwnQuestion]:
    rows = json.loads(QUESTIONS_FILE.read_text())
    return [
        OwnQuestion(row["question"], tuple(GoldPassage(**passage) for passage in row["passages"]))
        for row in rows
    ]


def read_articles() -> list[dict[str, str | None]]:
    """The articles of `docs/help` as rows of a question set, each with its slug as the id."""
    assert HELP.is_dir()
    return [
        {"id": page.slug, "title": page.title, "description": page.description, "text": page.text}
        for section in read_help()
        for page in section.pages
    ]


def judge(question: OwnQuestion, answer: Answer, names: dict[str, str], *, in_words: bool = True) -> Verdict:
    """Whether the answer quotes a passage that answers; `names` are the slugs by the id of the article.

    `in_words`: it must have the words of the answer, too, and not only cite its section.
    """
    if not answer.answered:
        return "declined" if question.passages else "right"
    cited = [source.passage for source in answer.sources]
    passages = question.passages if in_words else [replace(gold, says="") for gold in question.passages]
    return "right" if quotes_one(passages, answer.text, cited, names) else "wrong"


def begins_right(question: OwnQuestion, answer: Answer, names: dict[str, str]) -> bool:
    """True if the first passage that the answer quotes is one that answers."""
    first = [source.passage for source in answer.sources[:1]]
    return answer.answered and quotes_one(question.passages, answer.text, first, names)


def quotes_one(
    passages: Sequence[GoldPassage], text: str, cited: Sequence[Passage], names: dict[str, str]
) -> bool:
    sections = {(names[passage.article_id], section_of(passage)) for passage in cited}
    return any((gold.slug, gold.section) in sections and gold.says in text for gold in passages)


def section_of(passage: Passage) -> str | None:
    return passage.headings[-1] if passage.headings else None
