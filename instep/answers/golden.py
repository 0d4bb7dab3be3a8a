"""Golden questions asked as a visitor would: is each still answered from its article?"""

from dataclasses import dataclass

from instep.answers.ask import Answer, QuestionRequest, ask
from instep.answers.schemas import SourceOut
from instep.golden.actions import list_golden_questions
from instep.golden.schemas import GoldenQuestion, GoldenQuestionOut
from instep.identity.schemas import Ctx
from instep.web.shapes import Out


@dataclass(frozen=True, slots=True)
class GoldenAnswer:
    """A golden question, and what visitors are told."""

    golden: GoldenQuestion
    answer: Answer

    @property
    def is_kept(self) -> bool:
        cited = {source.passage.article_id for source in self.answer.sources}
        return self.answer.answered and self.golden.article_id in cited

    @property
    def fault(self) -> str | None:
        """What is wrong, in a sentence."""
        if self.is_kept:
            return None
        if self.golden.article_id is None:
            return "Its article has been removed for good."
        if not self.answer.answered:
            return "It is not answered."
        others = ", ".join(dict.fromkeys(f"“{source.passage.title}”" for source in self.answer.sources))
        return f"It is answered from {others}."


class GoldenAnswerOut(GoldenQuestionOut):
    """A golden question with what answers it now."""

    kept: bool
    fault: str | None
    confidence: float
    sources: list[SourceOut]


class GoldenRunOut(Out):
    """What became of all golden questions of a bot."""

    kept: bool
    results: list[GoldenAnswerOut]


async def ask_golden_questions(ctx: Ctx) -> list[GoldenAnswer]:
    """Ask them all without a model, each in the language of its article."""
    return [
        GoldenAnswer(golden, await ask(ctx, QuestionRequest(golden.question, golden.locale)))
        for golden in await list_golden_questions(ctx)
    ]


def golden_run_out(asked: list[GoldenAnswer]) -> GoldenRunOut:
    return GoldenRunOut(kept=all(one.is_kept for one in asked), results=[golden_out(one) for one in asked])


def golden_out(asked: GoldenAnswer) -> GoldenAnswerOut:
    return GoldenAnswerOut.of_row(
        asked.golden,
        kept=asked.is_kept,
        fault=asked.fault,
        confidence=asked.answer.confidence,
        sources=[SourceOut.of(source) for source in asked.answer.sources],
    )
