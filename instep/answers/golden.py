"""Golden questions asked as a visitor would: is each still answered from its article?"""

from collections.abc import Sequence
from dataclasses import dataclass

from instep.answers.ask import QuestionRequest, answer_from_articles
from instep.answers.schemas import Answer, SourceOut
from instep.golden.actions import list_golden_questions
from instep.golden.schemas import GoldenQuestion, GoldenQuestionOut
from instep.identity.schemas import Ctx
from instep.web.shapes import Out


@dataclass(frozen=True, slots=True)
class GoldenAnswer:
    """A golden question with the answer that visitors get."""

    question: GoldenQuestion
    answer: Answer

    @property
    def is_answered_from_its_article(self) -> bool:
        article_ids = {cited.passage.article_id for cited in self.answer.sources}
        return self.answer.answered and self.question.article_id in article_ids

    @property
    def fault(self) -> str | None:
        """What is wrong, in a sentence."""
        if self.is_answered_from_its_article:
            return None
        if self.question.article_id is None:
            return "Its article has been removed for good."
        if not self.answer.answered:
            return "It is not answered."
        others = ", ".join(dict.fromkeys(f"“{cited.passage.title}”" for cited in self.answer.sources))
        return f"It is answered from {others}."


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
    """Ask these golden questions without a model, each in the language of its article."""
    answers: list[GoldenAnswer] = []
    for question in questions:
        request = QuestionRequest(question.question, question.locale)
        answers.append(GoldenAnswer(question, await answer_from_articles(ctx, request)))
    return answers


def golden_run_out(answers: list[GoldenAnswer]) -> GoldenRunOut:
    results = [golden_answer_out(answer) for answer in answers]
    return GoldenRunOut(holds=all(result.holds for result in results), results=results)


def golden_answer_out(golden: GoldenAnswer) -> GoldenAnswerOut:
    return GoldenAnswerOut.of_row(
        golden.question,
        holds=golden.is_answered_from_its_article,
        fault=golden.fault,
        confidence=golden.answer.confidence,
        sources=[SourceOut.of(cited) for cited in golden.answer.sources],
    )
