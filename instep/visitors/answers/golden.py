"""Golden questions asked as a visitor would: is each still answered from its article?"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from instep.content.golden.actions import list_golden_questions
from instep.content.golden.schemas import GoldenQuestion, GoldenQuestionOut
from instep.platform.identity.schemas import Ctx
from instep.platform.web.shapes import Out
from instep.visitors.answers.ask import QuestionRequest, answer_for_visitors
from instep.visitors.answers.schemas import Answer, SourceOut

MARKS = re.compile(r"[*_`~\\]")


@dataclass(frozen=True, slots=True)
class GoldenAnswer:
    """A golden question with the answer that visitors get."""

    question: GoldenQuestion
    answer: Answer

    @property
    def fault(self) -> str | None:
        """The problem with the answer, in a sentence; None if it is right."""
        question = self.question
        if question.article_id is None:
            return "Its article was permanently deleted."
        if not self.answer.answered:
            return "The question is not answered."
        passages = [cited.passage for cited in self.answer.sources]
        own_passages = [passage for passage in passages if passage.article_id == question.article_id]
        if not own_passages:
            return f"It is answered from {_quoted(passage.title for passage in passages)}."
        headings = [heading for passage in own_passages for heading in passage.headings]
        if question.section and _plain(question.section) not in map(_plain, headings):
            return (
                f"It is answered from {_quoted(headings) or 'the beginning'}, not from “{question.section}”."
            )
        if question.says and _plain(question.says) not in _plain(self.answer.text):
            return f"The answer does not contain “{question.says}”."
        return None


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(f"“{name}”" for name in names))


def _plain(text: str) -> str:
    """A text for comparison, without the Markdown marks in and around words."""
    return " ".join(MARKS.sub("", text).casefold().split())


class GoldenAnswerOut(GoldenQuestionOut):
    """A golden question with its present answer."""

    holds: bool
    fault: str | None
    confidence: float
    sources: list[SourceOut]


class GoldenRunOut(Out):
    """The results of all golden questions of a bot."""

    holds: bool
    results: list[GoldenAnswerOut]


async def ask_golden_questions(ctx: Ctx) -> list[GoldenAnswer]:
    """Ask all golden questions without a model, each in the language of its article."""
    return await ask_each(ctx, await list_golden_questions(ctx))


async def ask_each(ctx: Ctx, questions: Sequence[GoldenQuestion]) -> list[GoldenAnswer]:
    """Ask these golden questions without a model, each in the language and a version of its article."""
    answers: list[GoldenAnswer] = []
    for question in questions:
        request = QuestionRequest(question.question, question.locale)
        answer = await answer_for_visitors(ctx, request, question.article_id)
        answers.append(GoldenAnswer(question, answer))
    return answers


def golden_run_out(answers: list[GoldenAnswer]) -> GoldenRunOut:
    results = [
        GoldenAnswerOut.of_row(
            golden.question,
            holds=golden.fault is None,
            fault=golden.fault,
            confidence=golden.answer.confidence,
            sources=list(map(SourceOut.of, golden.answer.sources)),
        )
        for golden in answers
    ]
    return GoldenRunOut(holds=all(result.holds for result in results), results=results)
