"""Sixty questions of newcomers over three help centers, and what people judged of the answers to them.

They were written before anyone read an article. The verdict on an answer is kept by a digest of its words,
so that it is read once; a new answer is `unread`.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from instep.visitors.answers.schemas import Answer

FOLDER = Path(__file__).parent
QUESTIONS_FILE = FOLDER / "newcomers.json"
VERDICTS_FILE = FOLDER / "verdicts.json"
VERDICTS = ("right", "partly", "wrong", "declined", "unread")


@dataclass(frozen=True, slots=True)
class NewcomersQuestion:
    """A question, whether the articles hold its answer, and where."""

    center: str
    question: str
    held: bool
    where: str = ""


def read_newcomers(file: Path) -> list[NewcomersQuestion]:
    return [NewcomersQuestion(**row) for row in json.loads(file.read_text())]


def read_verdicts() -> dict[str, str]:
    verdicts: dict[str, str] = json.loads(VERDICTS_FILE.read_text())
    return verdicts


def digest_of(question: NewcomersQuestion, answer: Answer) -> str:
    return hashlib.sha256(f"{question.question}\n{answer.text}".encode()).hexdigest()[:16]


def verdict_of(question: NewcomersQuestion, answer: Answer, verdicts: Mapping[str, str]) -> str:
    """`wrong` is told as sure. `partly` is true and leaves out what was asked for in part."""
    return verdicts.get(digest_of(question, answer), "unread") if answer.answered else "declined"


def figures_of(
    questions: Sequence[NewcomersQuestion], answers: Sequence[Answer], verdicts: Mapping[str, str]
) -> dict[str, dict[str, int]]:
    """The number of answers per verdict, for questions that the articles answer and for others."""
    counts: dict[str, Counter[str]] = {"held": Counter(), "not held": Counter()}
    for question, answer in zip(questions, answers, strict=True):
        counts["held" if question.held else "not held"][verdict_of(question, answer, verdicts)] += 1
    return {name: {verdict: count[verdict] for verdict in VERDICTS} for name, count in counts.items()}


def table_of(
    questions: Sequence[NewcomersQuestion], answers: Sequence[Answer], verdicts: Mapping[str, str]
) -> str:
    """All questions with their answers and verdicts, to read."""
    return "\n\n".join(
        f"## {verdict_of(question, answer, verdicts)} {digest_of(question, answer)} {question.question}\n"
        f"({question.center}; {'' if question.held else 'not '}held {question.where}; "
        f"{answer.confidence})\n\n{answer.text}"
        for question, answer in zip(questions, answers, strict=True)
    )
