"""The model's part in a task: after the writer's own report, in no transaction, never needed."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import TypeVar, TypeVarTuple

import structlog

from instep import writer
from instep.core import limits
from instep.core.config import settings
from instep.core.sandbox import TimeLimitExceeded, run_with_timeout
from instep.identity.schemas import Ctx
from instep.llm.budget import Reservation, reserve_tokens, settle
from instep.llm.protocol import Completion, CompletionError, Model, Prompt
from instep.writer.llm.article import Request, ask_for_article, request_for, request_of, with_article
from instep.writer.llm.edits import Outcome, ask_for_edits, with_edits
from instep.writer.llm.prompts import summary_without
from instep.writer.new_articles.outline import Wanted
from instep.writer.new_articles.outline_sources import Source

log = structlog.get_logger()

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")
Enter = Callable[[], AbstractAsyncContextManager[Ctx]]
Ask = Callable[[int], Awaitable[Prompt | None]]
Finish = Callable[[str], Awaitable[Outcome]]


class ModelStep:
    """Asks the model on behalf of one task, within what task and bot may use."""

    def __init__(self, model: Model, enter: Enter) -> None:
        self.model = model
        self.enter = enter
        self.tokens = settings().model_tokens_per_task

    async def edit(
        self, change: writer.Change, articles: Sequence[writer.Article], report: writer.Report, own: str
    ) -> writer.Report:
        """The report with the model's edits, and with the new articles written out."""

        async def ask(tokens: int) -> Prompt | None:
            return await checked(ask_for_edits, change, articles, report, tokens)

        async def finish(reply: str) -> Outcome:
            return await checked(with_edits, change, articles, report, reply, self.model.name, own)

        edited = await self.step(report, ask, finish)
        for at, proposal in enumerate(edited.proposals):
            if proposal.type == "new_article":
                edited = await self.write_out(request_for(proposal, change), edited, at)
        return edited

    async def write(self, wanted: Wanted, sources: Sequence[Source], report: writer.Report) -> writer.Report:
        """The report with the article that was asked for written out."""
        return await self.write_out(request_of(wanted, sources), report, 0)

    async def write_out(self, request: Request, report: writer.Report, at: int) -> writer.Report:
        async def ask(tokens: int) -> Prompt | None:
            return ask_for_article(request, tokens)

        async def finish(reply: str) -> Outcome:
            return await checked(with_article, request, report, at, reply, self.model.name)

        return await self.step(report, ask, finish)

    async def step(self, report: writer.Report, ask: Ask, finish: Finish) -> writer.Report:
        """One question. Whatever goes wrong with it, the report as it was is good, and says what it was."""
        try:
            question = await ask(self.tokens)
            if question is None:
                return report
            outcome = await finish((await self.reply(question)).text)
            report, why = outcome.report, outcome.refused
        except CompletionError as none:
            why = none.message
        except TimeLimitExceeded:
            why = "Its reply takes too long to check."
        except Exception:
            log.exception("the model's part of a task failed")
            why = "Something failed here."
        if why is None:
            return report
        log.warning("a task goes on without the model", model=self.model.name, reason=why)
        return replace(report, summary=summary_without(report.summary, self.model.name, why))

    async def reply(self, question: Prompt) -> Completion:
        async with self.enter() as ctx:
            share = await reserve_tokens(ctx, question.tokens, settings().model_tokens_per_day)
        if share is None:
            raise CompletionError("The tokens of this help center are used up for today.", 0)
        try:
            reply = await self.model.answer(question)
        except CompletionError as none:
            await self.settle(share, none.tokens)
            raise
        await self.settle(share, reply.tokens)
        return reply

    async def settle(self, share: Reservation, used: int | None) -> None:
        """Who is stopped before this leaves the share counted: nobody knows what was used of it."""
        self.tokens -= share.tokens if used is None else used
        async with self.enter() as ctx:
            await settle(ctx, share, used)


async def checked(function: Callable[[*Arguments], T], *arguments: *Arguments) -> T:
    return await run_with_timeout(function, *arguments, seconds=limits.MODEL_CHECK_SECONDS)
