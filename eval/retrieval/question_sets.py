"""Sets of questions about help centers: public ones, our own, and headings of other documentation.

The last ones are headings that are questions, as in a FAQ, and their articles lack them. Such a question is
easier than a visitor's, for it has the words of its author.
"""

import importlib.util
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from eval import docsync_set
from eval.sections.own_questions import read_articles, read_questions

SCORER = "helpeval.py"
HEADING = re.compile(r"(?m)^#{2,5} +(\S.*?)(?: *\{.*\})? *#*$|^(\S.*\S)\n[-=~^]{4,}$")
FENCE = re.compile(r"(?ms)^ *(```|~~~).*?^ *\1 *$")
# Products of the histories whose documentation has enough headings that are questions.
MIN_QUESTIONS = 8
# Every third article that answers a question is taken out, so that its questions have no answer.
REMOVED_EVERY = 3

Article = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the grades of the articles that answer it by their ids; none for one without answer."""

    id: str
    text: str
    relevant: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """The articles of one help center, questions that they answer, and questions that they don't."""

    name: str
    articles: Mapping[str, Article]
    questions: Sequence[Question]
    unanswerable: Sequence[Question]


def public_sets(folder: Path) -> Iterator[tuple[QuestionSet, Any]]:
    """The sets of a folder, each with the data that its scorer takes."""
    scorer = read_scorer(folder)
    for path in sorted(folder.glob("*/questions.jsonl")):
        data = scorer.HelpSet(str(path.parent.resolve()))
        questions = [Question(row["id"], row["question"], row["relevant"]) for row in data.questions]
        unanswerable = [Question(row["id"], row["question"], {}) for row in data.unanswerable]
        yield QuestionSet(path.parent.name, data.articles, questions, unanswerable), data


def read_scorer(folder: Path) -> Any:
    """The scorer is part of the data set, which is not part of this repository."""
    spec = importlib.util.spec_from_file_location("helpeval", folder / SCORER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def documentation_sets(folder: Path) -> Iterator[QuestionSet]:
    """The headings that are questions, as in a FAQ, of each product of the histories that has enough."""
    if not docsync_set.is_set(folder):
        return
    sets = list(question_heading_sets(folder))
    for number, questions in enumerate(sets):
        # A FAQ is often one page; then only questions about another product have no answer.
        others = sets[number - 1].questions if len(sets) > 1 else []
        yield replace(questions, unanswerable=[*questions.unanswerable, *(unheld(row) for row in others)])


def question_heading_sets(folder: Path) -> Iterator[QuestionSet]:
    scorer = docsync_set.scorer_of(folder)
    for product in docsync_set.products_of(folder):
        last_case = list(scorer.load(str(folder), products=[product], sample="main"))[-1]
        articles = {
            path: {"id": path, "title": article.title, "text": article.text}
            for path, article in last_case.articles.items()
        }
        questions = set_of_headings(product, articles, lambda heading: heading.endswith("?"))
        if len(questions.questions) + len(questions.unanswerable) >= MIN_QUESTIONS:
            yield questions


def help_set() -> QuestionSet:
    """Newcomers' questions about Instep, asked of its own documentation."""
    articles = {row["id"] or "": row for row in read_articles()}
    asked = [
        Question(f"help:{own.question}", own.question, {passage.slug: 1 for passage in own.passages})
        for own in read_questions()
    ]
    return QuestionSet(
        "help",
        articles,
        [question for question in asked if question.relevant],
        [question for question in asked if not question.relevant],
    )


def unheld(question: Question) -> Question:
    return replace(question, relevant={})


def set_of_headings(name: str, articles: Mapping[str, Article], is_question: Any) -> QuestionSet:
    """Ask the headings, which are taken out of the articles; every third article is taken out, too."""
    headings = {id: list(filter(is_question, headings_of(row["text"]))) for id, row in articles.items()}
    removed = set([id for id, texts in headings.items() if texts][REMOVED_EVERY - 1 :: REMOVED_EVERY])
    counts: dict[str, int] = {}
    for texts in headings.values():
        for text in texts:
            counts[text] = counts.get(text, 0) + 1
    asked = [(id, text) for id, texts in headings.items() for text in texts if counts[text] == 1]
    return QuestionSet(
        name,
        {
            id: {**row, "text": without_headings(row["text"], headings[id])}
            for id, row in articles.items()
            if id not in removed
        },
        [Question(f"{name}:{text}", text, {id: 1}) for id, text in asked if id not in removed],
        [Question(f"{name}:{text}", text, {}) for id, text in asked if id in removed],
    )


def headings_of(markdown: str) -> list[str]:
    return [(match[1] or match[2]).strip() for match in HEADING.finditer(FENCE.sub("", markdown))]


def without_headings(markdown: str, headings: Sequence[str]) -> str:
    def left(match: re.Match[str]) -> str:
        return "" if (match[1] or match[2]).strip() in headings else match[0]

    return HEADING.sub(left, markdown)
