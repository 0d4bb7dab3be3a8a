"""The model's part in a report: it comes after the writer's own, and the report is complete without it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TypeVar, TypeVarTuple

import structlog

from instep.core import limits
from instep.core.sandbox import TimeLimitExceeded, run_with_timeout
from instep.llm.protocol import CompletionError, Model, Prompt
from instep.writer.llm.article import (
    ContentBrief,
    brief_from_change,
    brief_from_task,
    prompt_for_article,
    with_article,
)
from instep.writer.llm.critic import prompt_for_critic, unproved_edits
from instep.writer.llm.model_edits import (
    CheckedReply,
    ReplyOutcome,
    check_edits,
    prompt_for_edits,
    report_with_edits,
)
from instep.writer.llm.prompts import summary_without
from instep.writer.new_articles.outline import ArticleRequest
from instep.writer.new_articles.outline_sources import SourcePassage
from instep.writer.shapes import Article, Change, Report

log = structlog.get_logger()

# The share (0..1) of a task's tokens that is left for the check of the edits.
_CRITIC_SHARE = 0.3

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")
BuildPrompt = Callable[[int], Awaitable[Prompt | None]]
ApplyReply = Callable[[str], Awaitable[ReplyOutcome]]


class ModelStep:
    """Asks a model on behalf of one task, which may use `max_tokens` in all."""

    def __init__(self, model: Model, max_tokens: int) -> None:
        self.model = model
        self.tokens_left = max_tokens

    async def edit(
        self, change: Change, articles: Sequence[Article], report: Report, help_url: str
    ) -> Report:
        """The report with the model's edits, and with the new articles written out."""

        async def build_prompt(max_tokens: int) -> Prompt | None:
            edit_tokens = max_tokens - int(_CRITIC_SHARE * max_tokens)
            return await _time_limited(prompt_for_edits, change, articles, report, edit_tokens)

        async def apply_reply(reply: str) -> ReplyOutcome:
            checked = await _time_limited(check_edits, change, articles, report, reply, help_url)
            if checked is None:
                return ReplyOutcome(report, "Its reply has not the form that was asked for.")
            rejected = await self._unproved(change, checked)
            return ReplyOutcome(report_with_edits(report, checked, rejected, self.model.name), None)

        edited = await self._step(report, build_prompt, apply_reply)
        for index, proposal in enumerate(edited.proposals):
            if proposal.type == "new_article":
                edited = await self._write_out(brief_from_change(proposal, change), edited, index)
        return edited

    async def _unproved(self, change: Change, checked: CheckedReply) -> frozenset[int]:
        """The indices of the edits for which the model, asked again, finds no lines of the diff."""
        if not checked.edits:
            return frozenset()
        prompt = await _time_limited(prompt_for_critic, change, checked, self.tokens_left)
        if prompt is None:
            raise CompletionError("The tokens of the task are too few to check its edits.")
        unproved = await _time_limited(unproved_edits, change, checked, await self._complete(prompt))
        if unproved is None:
            raise CompletionError("The check of its edits has not the form that was asked for.")
        return unproved

    async def write(
        self, request: ArticleRequest, sources: Sequence[SourcePassage], report: Report
    ) -> Report:
        """The report with the article that a task asks for written out."""
        # The outline, which reads more than this, has been made within the same time.
        brief = await run_with_timeout(brief_from_task, request, sources, seconds=limits.MAX_WRITER_SECONDS)
        return await self._write_out(brief, report, 0)

    async def _write_out(self, brief: ContentBrief, report: Report, index: int) -> Report:
        async def build_prompt(max_tokens: int) -> Prompt | None:
            return prompt_for_article(brief, max_tokens)

        async def apply_reply(reply: str) -> ReplyOutcome:
            return await _time_limited(with_article, brief, report, index, reply, self.model.name)

        return await self._step(report, build_prompt, apply_reply)

    async def _step(self, report: Report, build_prompt: BuildPrompt, apply_reply: ApplyReply) -> Report:
        """One prompt. Whatever fails, the report stays as it was, with a sentence about it in its summary."""
        try:
            prompt = await build_prompt(self.tokens_left)
            if prompt is None:
                return report
            outcome = await apply_reply(await self._complete(prompt))
            report, refusal = outcome.report, outcome.refusal
        except CompletionError as error:
            refusal = error.message
        except TimeLimitExceeded:
            refusal = "Its reply takes too long to check."
        except Exception:
            log.exception("the model's part of a task failed")
            refusal = "Something failed here."
        if refusal is None:
            return report
        log.warning("a task goes on without the model", model=self.model.name, reason=refusal)
        return replace(report, summary=summary_without(report.summary, self.model.name, refusal))

    async def _complete(self, prompt: Prompt) -> str:
        """The text of the completion; where its use of tokens is unknown, the most it may take is counted."""
        used_tokens: int | None = None
        try:
            completion = await self.model.complete(prompt)
            used_tokens = completion.total_tokens
        except CompletionError as error:
            used_tokens = error.total_tokens
            raise
        finally:
            self.tokens_left -= prompt.max_total_tokens if used_tokens is None else used_tokens
        return completion.text


async def _time_limited(function: Callable[[*Arguments], T], *arguments: *Arguments) -> T:
    return await run_with_timeout(function, *arguments, seconds=limits.MODEL_CHECK_SECONDS)
