"""Six help centers of about a dozen short articles, each with twenty questions as visitors ask them.

They were written before anyone looked at the ranking: with stories around them, errors in typing, other
words, one word. Six questions of each have no answer there, but are near to what is. `says` are words of
the answer, any of which must be quoted. On `TUNED` the search was tuned; the others were kept aside.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from eval.retrieval.question_sets import Question, QuestionSet

FOLDER = Path(__file__).parent / "centers"
TUNED = ("council", "energy_de", "time_tracking")
# Markup and citations: an answer has them between its words, and its article does not.
NO_WORD = re.compile(r"\[\d+\]|[^\w%€£$]+")


@dataclass(frozen=True, slots=True)
class VisitorQuestion:
    """A question, and words of its answer; none if the help center has no answer."""

    question: str
    says: tuple[str, ...]

    def is_answered_by(self, text: str) -> bool:
        return any(plain(words) in plain(text) for words in self.says)


@dataclass(frozen=True, slots=True)
class VisitorCenter:
    """A help center; `articles` are rows of a question set, each with its title as the id."""

    name: str
    locale: str
    articles: Sequence[Mapping[str, str]]
    questions: Sequence[VisitorQuestion]

    @property
    def question_set(self) -> QuestionSet:
        asked = [
            Question(f"{self.name}:{row.question}", row.question, self.relevant(row))
            for row in self.questions
        ]
        return QuestionSet(
            self.name,
            {article["id"]: dict(article) for article in self.articles},
            [question for question in asked if question.relevant],
            [question for question in asked if not question.relevant],
        )

    def relevant(self, question: VisitorQuestion) -> dict[str, int]:
        return {row["id"]: 1 for row in self.articles if question.is_answered_by(row["text"])}


def read_centers(names: Sequence[str] | None = None) -> dict[str, VisitorCenter]:
    """The help centers by the names of their files, or those that are named."""
    paths = sorted(FOLDER.glob("*.json"))
    return {path.stem: read_center(path) for path in paths if names is None or path.stem in names}


def read_center(path: Path) -> VisitorCenter:
    row = json.loads(path.read_text())
    return VisitorCenter(
        row["name"],
        row["locale"],
        [{"id": article["title"], **article} for article in row["articles"]],
        [VisitorQuestion(each["question"], tuple(each["says"])) for each in row["questions"]],
    )


def plain(text: str) -> str:
    return NO_WORD.sub(" ", text).lower().strip()
