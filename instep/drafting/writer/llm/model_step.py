"""The model's part in a report: choose what to read, read, edit, correct what is refused.

It comes after the writer's own part, and the report is complete without it: whatever fails, the report stays
as it was, with a sentence about it in its summary.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, TypeVarTuple

import structlog

from instep.drafting.writer.diffs.change_set import ChangeSet, reviewed_files
from instep.drafting.writer.llm.article import prompt_for_article, report_with_article
from instep.drafting.writer.llm.article_contents import (
    Contents,
    SectionReference,
    article_contents,
    section_spans,
)
from instep.drafting.writer.llm.checked_edits import ArticleEdits, check_edits
from instep.drafting.writer.llm.diff_text import diff_text
from instep.drafting.writer.llm.edit_forms import ModelEdit, ModelReply
from instep.drafting.writer.llm.edit_prompt import prompt_for_edits, prompt_for_repair
from instep.drafting.writer.llm.model_report import (
    ModelResult,
    QuotedLines,
    new_article_proposals,
    report_with_result,
    report_without_model,
    report_without_need,
)
from instep.drafting.writer.llm.numbered_text import ShownArticle, numbered_text, shown_articles
from instep.drafting.writer.llm.protection import Protection
from instep.drafting.writer.llm.section_choice import chosen_sections, prompt_for_choice, section_references
from instep.drafting.writer.new_articles.outline import ArticleRequest
from instep.drafting.writer.new_articles.outline_sources import SourcePassage
from instep.drafting.writer.shapes import Article, Change, DismissedEdit, Report
from instep.platform.core import limits
from instep.platform.core.sandbox import TimeLimitExceeded, run_with_timeout
from instep.platform.llm.guard import read_reply
from instep.platform.llm.protocol import CompletionError, Model, Prompt, bytes_of
from instep.platform.text.patch_parser import parse_diff

log = structlog.get_logger()

# Changes with a lower need (0..1) hardly ever need an edit: this lets 98 % of those through that do.
_MIN_NEED = 0.2
_MAX_DIFF_BYTES, _MAX_TABLE_BYTES, _MAX_SHOWN_BYTES = 40_000, 30_000, 120_000
# The shares (0..1) of a task's tokens that the diff and the table of contents may take.
_DIFF_SHARE, _TABLE_SHARE = 0.2, 0.15
_MIN_SHOWN_BYTES = 2_000
# Prompts of one task differ by so much in their bytes for each token.
_SAFETY = 1.1
_WRONG_FORM = "Its reply has not the form that was asked for."

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")


@dataclass(frozen=True, slots=True)
class ChangeReading:
    """A change and the articles, as the questions to a model need them."""

    change: Change
    change_set: ChangeSet
    diff: str
    contents: Contents
    report: Report
    help_url: str


class ModelStep:
    """Asks a model on behalf of one task, which may use `max_tokens` in all.

    `reader` may be a cheaper model, for the first question. Without `writes_articles` new articles are left
    out. `estimate_ratio` is how many tokens a prompt took for each that was estimated.
    """

    def __init__(
        self, model: Model, max_tokens: int, reader: Model | None = None, *, writes_articles: bool = True
    ) -> None:
        self.model = model
        self.reader = reader or model
        self.writes_articles = writes_articles
        self.max_tokens = max_tokens
        self.tokens_left = max_tokens
        self.estimate_ratio = 1.0

    async def edit(
        self,
        change: Change,
        articles: Sequence[Article],
        report: Report,
        help_url: str,
        dismissed: Sequence[DismissedEdit] = (),
    ) -> Report:
        """The report with the model's edits and new articles."""
        if report.need < _MIN_NEED and not report.proposals and not report.places:
            return report
        return await self._guarded(report, lambda: self._edit(change, articles, report, help_url, dismissed))

    async def _edit(
        self,
        change: Change,
        articles: Sequence[Article],
        report: Report,
        help_url: str,
        dismissed: Sequence[DismissedEdit],
    ) -> Report:
        room = self._bytes(_DIFF_SHARE, _MAX_DIFF_BYTES)
        reading = await _time_limited(begin_reading, change, articles, report, help_url, room)
        if not reading.diff and not (change.body or "").strip():
            return report
        chosen = await self._choose(reading)
        if not chosen:
            return report_without_need(report, self.model.name)
        reply, excerpts = await self._read_and_edit(reading, chosen, dismissed)
        if not self.writes_articles:
            reply.articles = []
        groups = await _time_limited(check_reply, reading, reply, excerpts)
        refused = [group for group in groups if group.refused]
        if refused:
            corrected = await self._repair(reading, excerpts, refused)
            groups = [corrected.get(group.index, group) for group in groups]
        return await _time_limited(finish_report, reading, reply, excerpts, groups, self.model.name)

    async def _choose(self, reading: ChangeReading) -> list[SectionReference]:
        """The sections to read: those of the places that the writer has found, then the model's."""
        room = self._bytes(_TABLE_SHARE, _MAX_TABLE_BYTES)
        prompt = await _time_limited(prompt_for_choice, reading.change, reading.diff, reading.contents, room)
        answer = await self._complete(prompt, self.reader)
        chosen = await _time_limited(chosen_sections, answer, reading.contents)
        if chosen is None:
            raise CompletionError(_WRONG_FORM)
        return (
            list(dict.fromkeys([*chosen, *await _time_limited(place_references, reading)])) if chosen else []
        )

    async def _read_and_edit(
        self, reading: ChangeReading, chosen: Sequence[SectionReference], dismissed: Sequence[DismissedEdit]
    ) -> tuple[ModelReply, list[ShownArticle]]:
        """The reply, with what a second question about more sections adds to it, and all that was shown."""
        excerpts = await _time_limited(
            shown_articles, reading.contents, chosen, await self._shown_bytes(reading)
        )
        reply = await self._ask_for_edits(reading, excerpts, dismissed, [])
        requests = await _time_limited(section_references, reply.show, reply.searches, reading.contents)
        requests = [reference for reference in requests if reference not in chosen]
        room = await self._shown_bytes(reading)
        if not requests or room < _MIN_SHOWN_BYTES:
            return reply, excerpts
        more = await _time_limited(shown_articles, reading.contents, requests, room)
        second = await self._ask_for_edits(reading, more, dismissed, reply.edits)
        return merged_replies(reply, second), merged_articles(excerpts, more)

    async def _ask_for_edits(
        self,
        reading: ChangeReading,
        excerpts: Sequence[ShownArticle],
        dismissed: Sequence[DismissedEdit],
        earlier: Sequence[ModelEdit],
    ) -> ModelReply:
        prompt = await _time_limited(
            prompt_for_edits, reading.change, reading.diff, reading.contents, excerpts, dismissed, earlier
        )
        reply = read_reply(ModelReply, await self._complete(prompt, self.model))
        if reply is None:
            raise CompletionError(_WRONG_FORM)
        return reply

    async def _repair(
        self, reading: ChangeReading, excerpts: Sequence[ShownArticle], refused: Sequence[ArticleEdits]
    ) -> dict[int, ArticleEdits]:
        """The edits of articles with refused ones, asked for once more; the refused ones if that fails."""
        before = {group.index: group for group in refused}
        again = [row for row in excerpts if row.index in before]
        prompt = await _time_limited(
            prompt_for_repair,
            reading.change,
            reading.diff,
            reading.contents,
            again,
            [edit for group in refused for edit in group.edits],
            [row for group in refused for row in group.refused],
        )
        try:
            reply = read_reply(ModelReply, await self._complete(prompt, self.model))
        except CompletionError as error:
            log.info("refused edits were not corrected", model=self.model.name, reason=error.message)
            reply = None
        if reply is None:
            return before
        groups = await _time_limited(check_reply, reading, reply, again)
        return before | {group.index: group for group in groups}

    async def write(
        self, request: ArticleRequest, sources: Sequence[SourcePassage], report: Report
    ) -> Report:
        """The report with the article that a task asks for written out."""

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
        except Exception:
            log.exception("the model's part of a task failed")
            reason = "Something failed here."
        log.warning("a task goes on without the model", model=self.model.name, reason=reason)
        return report_without_model(report, self.model.name, reason)

    def _bytes(self, share: float, most: int) -> int:
        return min(most, bytes_of(int(share * self.max_tokens)))

    async def _shown_bytes(self, reading: ChangeReading) -> int:
        """The bytes of articles for which the next question has room, and a reply."""
        empty = await _time_limited(
            prompt_for_edits, reading.change, reading.diff, reading.contents, (), (), ()
        )
        return min(
            _MAX_SHOWN_BYTES, bytes_of(int((self.tokens_left - self._tokens_of(empty)) / self.estimate_ratio))
        )

    def _tokens_of(self, prompt: Prompt) -> int:
        """The most tokens that a question and its reply may take, by those that questions have taken."""
        return int(prompt.max_input_tokens * self.estimate_ratio) + prompt.max_output_tokens

    async def _complete(self, prompt: Prompt, model: Model) -> str:
        """The text of the completion; where its use of tokens is unknown, the most it may take is counted."""
        if self._tokens_of(prompt) > self.tokens_left:
            raise CompletionError(
                f"The {self.max_tokens:,} tokens of the task are too few for its next question.", 0
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


def begin_reading(
    change: Change, articles: Sequence[Article], report: Report, help_url: str, diff_bytes: int
) -> ChangeReading:
    """The articles as the writer's own drafts leave them, and the diff as a model reads it."""
    drafts = {proposal.article_id: proposal for proposal in report.proposals if proposal.article_id}
    texts = [
        replace(article, title=drafts[article.id].title, text=drafts[article.id].text)
        if article.id in drafts
        else article
        for article in articles
    ]
    change_set = reviewed_files(parse_diff(change.diff))
    contents = article_contents(texts, change_set, report)
    return ChangeReading(change, change_set, diff_text(change_set, diff_bytes), contents, report, help_url)


def place_references(reading: ChangeReading) -> list[SectionReference]:
    """The sections of the places that the writer has found."""
    contents, matches = reading.contents, list[SectionReference]()
    for place in reading.report.places:
        if place.article_id in contents.index_by_id:
            index = contents.index_by_id[place.article_id]
            spans = section_spans(contents.articles[index].text)
            number = next((row.number for row in spans if row.first <= place.line <= row.last), None)
            matches.append(SectionReference(index, number))
    return matches


def protection_for(reading: ChangeReading, excerpts: Sequence[ShownArticle]) -> Protection:
    texts = [numbered_text(reading.contents, row) for row in excerpts]
    return Protection(reading.change, texts, reading.contents.articles, reading.help_url)


def check_reply(
    reading: ChangeReading, reply: ModelReply, excerpts: Sequence[ShownArticle]
) -> list[ArticleEdits]:
    return check_edits(reply.edits, reading.contents, excerpts, protection_for(reading, excerpts))


def finish_report(
    reading: ChangeReading,
    reply: ModelReply,
    excerpts: Sequence[ShownArticle],
    groups: Sequence[ArticleEdits],
    model: str,
) -> Report:
    """The report with what holds of the reply."""
    contents, quotes = reading.contents, QuotedLines(reading.change_set, reading.change)
    articles = new_article_proposals(reply.articles, contents, protection_for(reading, excerpts), quotes)
    result = ModelResult(
        tuple(group for group in groups if not group.refused and (group.spans or group.title)),
        tuple(group for group in groups if group.refused),
        tuple(articles),
        tuple(reply.unchanged),
        frozenset(contents.articles[row.index].id for row in excerpts),
    )
    return report_with_result(reading.report, result, contents, quotes, model)


def merged_replies(first: ModelReply, second: ModelReply) -> ModelReply:
    return ModelReply(
        edits=[*first.edits, *second.edits],
        articles=[*first.articles, *second.articles],
        unchanged=[*first.unchanged, *second.unchanged],
    )


def merged_articles(first: Sequence[ShownArticle], second: Sequence[ShownArticle]) -> list[ShownArticle]:
    """The lines that either question has shown, by article."""
    lines: dict[int, frozenset[int]] = {}
    for row in (*first, *second):
        lines[row.index] = lines.get(row.index, frozenset()) | row.lines
    return [ShownArticle(index, numbers) for index, numbers in lines.items()]


async def _time_limited(function: Callable[[*Arguments], T], *arguments: *Arguments) -> T:
    return await run_with_timeout(function, *arguments, seconds=limits.MODEL_CHECK_SECONDS)
