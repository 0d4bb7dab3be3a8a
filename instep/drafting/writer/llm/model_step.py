"""The model's part in a report: choose what to read, read, edit, correct refused edits.

It runs after the writer's own part, whose report is complete without it: if anything fails, the report stays
unchanged except for a sentence in its summary.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TypeVar, TypeVarTuple

import structlog

from instep.drafting.writer.llm.article import prompt_for_article, report_with_article
from instep.drafting.writer.llm.article_contents import (
    ChangeReading,
    SectionReference,
    ShownArticle,
    begin_reading,
    merged_articles,
    shown_articles,
)
from instep.drafting.writer.llm.checked_edits import ArticleEdits
from instep.drafting.writer.llm.code_comparison import begin_comparison, shown_part, with_proven_edits
from instep.drafting.writer.llm.edit_forms import ModelEdit, ModelReply
from instep.drafting.writer.llm.edit_prompt import MAX_WAITING_BYTES, prompt_for_edits, prompt_for_repair
from instep.drafting.writer.llm.model_report import (
    check_reply,
    report_with_result,
    report_without_model,
    report_without_need,
)
from instep.drafting.writer.llm.section_choice import (
    SectionChoice,
    chosen_sections,
    prompt_for_choice,
    section_references,
)
from instep.drafting.writer.new_articles.outline import ArticleRequest
from instep.drafting.writer.new_articles.outline_sources import SourcePassage
from instep.drafting.writer.shapes import Article, Change, DismissedEdit, Report, Verdict, WaitingEdit
from instep.platform.core import limits
from instep.platform.core.sandbox import TimeLimitExceeded, run_with_timeout
from instep.platform.llm.guard import Reply, require_reply
from instep.platform.llm.protocol import CompletionError, Model, Prompt, UnreadableReply, bytes_of
from instep.platform.text.patch import InvalidDiff

log = structlog.get_logger()

# Changes with a lower need (0..1) hardly ever need an edit; 98 % of those that do are above.
_MIN_NEED = 0.2
_MAX_DIFF_BYTES, _MAX_TABLE_BYTES, _MAX_SHOWN_BYTES = 40_000, 30_000, 120_000
# The shares (0..1) of a task's tokens for the diff and the table of contents.
_DIFF_SHARE, _TABLE_SHARE = 0.2, 0.15
_MIN_SHOWN_BYTES = 2_000
# The bytes per token of one task's prompts differ by this factor.
_SAFETY = 1.1

_IN_STEP = "The code that the model read contradicts nothing in it."

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")


class ModelStep:
    """Asks a model on behalf of one task, which may use `max_tokens` in total.

    `reader` may be a cheaper model for the first prompt. Without `writes_articles` new articles are left
    out. `estimate_ratio` is the number of actual tokens per estimated token of a prompt.
    """

    def __init__(
        self, model: Model, max_tokens: int, reader: Model | None = None, *, writes_articles: bool = True
    ) -> None:
        self.model = model
        self.reader = reader or model
        self.writes_articles = writes_articles
        self.max_tokens = self.tokens_left = max_tokens
        self.estimate_ratio = 1.0

    async def edit(
        self,
        change: Change,
        articles: Sequence[Article],
        report: Report,
        help_url: str,
        dismissed: Sequence[DismissedEdit] = (),
        waiting: Sequence[WaitingEdit] = (),
    ) -> Report:
        """The report with the model's edits and new articles."""

        async def edit() -> Report:
            room = self._bytes(_DIFF_SHARE, _MAX_DIFF_BYTES)
            reading = await _time_limited(
                begin_reading, change, articles, report, help_url, room, dismissed, waiting
            )
            if not reading.diff and not (change.body or "").strip():
                return report
            room = self._bytes(_TABLE_SHARE, _MAX_TABLE_BYTES)
            prompt = await _time_limited(prompt_for_choice, reading, room)
            choice = await self._reply(SectionChoice, prompt, self.reader)
            chosen = await _time_limited(chosen_sections, choice, reading)
            if not chosen:
                return report_without_need(report, self.model.name)
            reply, excerpts = await self._read_and_edit(reading, chosen)
            if not self.writes_articles:
                reply.articles = []
            groups = await self._checked(reading, reply, excerpts)
            return await _time_limited(report_with_result, reading, reply, excerpts, groups, self.model.name)

        if report.need < _MIN_NEED and not report.proposals and not report.places:
            return report
        return await self._guarded(report, edit)

    async def compare(
        self,
        code: str,
        article: Article,
        help_url: str,
        dismissed: Sequence[DismissedEdit] = (),
        first_line: int = 1,
    ) -> Report:
        """The report with the model's edits of an article, or the part of it from this line, against code."""

        async def compare() -> Report:
            reading = await _time_limited(begin_comparison, code, article, help_url, dismissed)
            if not reading.diff:
                return reading.report.with_note("No code was sent that a model can read.")
            room = await self._shown_bytes(reading)
            excerpts = await _time_limited(shown_part, reading.contents, first_line, room)
            if not excerpts:
                return reading.report.with_note("This part of the article no longer exists.")
            reply = await self._ask_for_edits(prompt_for_edits, reading, excerpts, list[ModelEdit]())
            reply = await _time_limited(with_proven_edits, reading, reply)
            groups = await self._checked(reading, reply, excerpts)
            name = self.model.name
            report = await _time_limited(report_with_result, reading, reply, excerpts, groups, name)
            return (
                report
                if report.reviewed
                else replace(report, reviewed=(Verdict(article.id, "no_edit", _IN_STEP),))
            )

        return await self._guarded(Report((article.id,), 0.0, (), (), ""), compare)

    async def _read_and_edit(
        self, reading: ChangeReading, chosen: Sequence[SectionReference]
    ) -> tuple[ModelReply, list[ShownArticle]]:
        """The reply, including that of a second prompt about more sections, and everything shown."""
        room = await self._shown_bytes(reading)
        excerpts = await _time_limited(shown_articles, reading.contents, chosen, room)
        reply = await self._ask_for_edits(prompt_for_edits, reading, excerpts, list[ModelEdit]())
        requests = await _time_limited(section_references, reply.show, reply.searches, reading.contents)
        requests = [reference for reference in requests if reference not in chosen]
        room = await self._shown_bytes(reading)
        if not requests or room < _MIN_SHOWN_BYTES:
            return reply, excerpts
        more = await _time_limited(shown_articles, reading.contents, requests, room)
        try:
            second = await self._ask_for_edits(prompt_for_edits, reading, more, reply.edits)
        except CompletionError as error:
            log.info("more sections were not read", model=self.model.name, reason=error.message)
            return reply, excerpts
        reply.edits += second.edits
        reply.articles += second.articles
        reply.unchanged += second.unchanged
        return reply, merged_articles(excerpts, more)

    async def _checked(
        self, reading: ChangeReading, reply: ModelReply, excerpts: Sequence[ShownArticle]
    ) -> list[ArticleEdits]:
        """The edits of a reply, after asking once more for articles with refused ones.

        `reply` gets the articles that, the second time, need no edit or only a check.
        """
        groups = await _time_limited(check_reply, reading, reply, excerpts)
        refused = {group.index: group for group in groups if group.refused}
        if not refused:
            return groups
        again = [row for row in excerpts if row.index in refused]
        try:
            corrected = await self._ask_for_edits(prompt_for_repair, reading, again, list(refused.values()))
            if reading.is_code:
                corrected = await _time_limited(with_proven_edits, reading, corrected)
        except CompletionError as error:
            log.info("refused edits were not corrected", model=self.model.name, reason=error.message)
            return groups
        checks = [edit for edit in corrected.edits if edit.action == "check"]
        reply.edits += checks
        reply.unchanged += corrected.unchanged
        named = [row.article for row in corrected.unchanged] + [edit.article for edit in checks]
        references = filter(None, map(reading.contents.find, named))
        dropped = {reference.article for reference in references} & refused.keys()
        groups = [group for group in groups if group.index not in dropped]
        checked = await _time_limited(check_reply, reading, corrected, again)
        return list({group.index: group for group in (*groups, *checked)}.values())

    async def write(
        self, request: ArticleRequest, sources: Sequence[SourcePassage], report: Report
    ) -> Report:
        """The report with the requested article written by the model."""

        async def write() -> Report:
            prompt = await _time_limited(prompt_for_article, request, sources, self.tokens_left)
            if prompt is None:
                return report
            answer = await self._complete(prompt, self.model)
            return await _time_limited(report_with_article, request, sources, report, answer, self.model.name)

        return await self._guarded(report, write)

    async def _guarded(self, report: Report, step: Callable[[], Awaitable[Report]]) -> Report:
        try:
            return await step()
        except CompletionError as error:
            reason = error.message
        except TimeLimitExceeded:
            reason = "Its reply takes too long to check."
        except InvalidDiff as error:
            reason = error.message
        except Exception:
            log.exception("the model's part of a task failed")
            reason = "Something failed here."
        log.warning("a task goes on without the model", model=self.model.name, reason=reason)
        return report_without_model(report, self.model.name, reason)

    def _bytes(self, share: float, most: int) -> int:
        return min(most, bytes_of(int(share * self.max_tokens)))

    async def _shown_bytes(self, reading: ChangeReading) -> int:
        """The bytes of article text that fit into the next prompt, with room for a reply."""
        empty = await _time_limited(prompt_for_edits, reading, (), ())
        tokens = (self.tokens_left - self._tokens_of(empty)) / self.estimate_ratio
        spare = MAX_WAITING_BYTES * (bool(reading.waiting) + bool(reading.doubtful))
        return min(_MAX_SHOWN_BYTES, bytes_of(int(tokens)) - spare)

    def _tokens_of(self, prompt: Prompt) -> int:
        """The most tokens that a prompt and its reply may take, based on previous prompts."""
        return int(prompt.max_input_tokens * self.estimate_ratio) + prompt.max_output_tokens

    async def _ask_for_edits(
        self, make: Callable[[*Arguments], Prompt], *arguments: *Arguments
    ) -> ModelReply:
        return await self._reply(ModelReply, await _time_limited(make, *arguments), self.model)

    async def _reply(self, kind: type[Reply], prompt: Prompt, model: Model) -> Reply:
        """The model's reply; a model whose reply can't be read is asked once more."""
        try:
            return require_reply(kind, await self._complete(prompt, model))
        except UnreadableReply:
            return require_reply(kind, await self._complete(prompt, model))

    async def _complete(self, prompt: Prompt, model: Model) -> str:
        """The text of the completion; if the usage is unknown, the maximum is counted."""
        if self._tokens_of(prompt) > self.tokens_left:
            raise CompletionError(
                f"The {self.max_tokens:,} tokens that this task may use are too few for its next question.", 0
            )
        used_tokens: int | None = None
        try:
            completion = await model.complete(prompt)
            used_tokens = completion.total_tokens
            if completion.input_tokens:
                taken = _SAFETY * completion.input_tokens / prompt.max_input_tokens
                self.estimate_ratio = min(1.0, taken)
        except CompletionError as error:
            used_tokens = error.total_tokens
            raise
        finally:
            self.tokens_left -= prompt.max_total_tokens if used_tokens is None else used_tokens
        return completion.text


async def _time_limited(function: Callable[[*Arguments], T], *arguments: *Arguments) -> T:
    return await run_with_timeout(function, *arguments, seconds=limits.MODEL_CHECK_SECONDS)
