"""Answers written by a model, which reads the best sections, may request more once, and is corrected once.

No transaction is open while it works. Without a model, or without a reply that can be read, the answer is in
the articles' own words. A visitor may be shown the answer while the model writes it, up to the first part
that is refused: each part is checked as soon as it is complete.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile

import structlog
from anyio import to_thread

from instep.platform.core import limits
from instep.platform.llm.budget import Enter
from instep.platform.llm.guard import read_reply, require_reply
from instep.platform.llm.protocol import CompletionError, Model, Prompt
from instep.search.article_outline import outline_of, sections_of_articles
from instep.search.passage_kinds import answers_questions
from instep.search.schemas import OutlinedArticle, Passage
from instep.visitors.answers.ask import (
    QuestionRequest,
    RetrievedContext,
    answer_from,
    declined_answer,
    extractive_answer,
    quotable_extracts,
    retrieve_context,
    talk_answer,
)
from instep.visitors.answers.checked_parts import CheckedPart
from instep.visitors.answers.generative import (
    MAX_BEGUN_CHARACTERS,
    MAX_SEARCHES,
    AnswerReply,
    ReplyPart,
    Rewritten,
    begun_reply,
    first_prompt,
    last_prompt,
    rewriting_prompt,
)
from instep.visitors.answers.reply_texts import texts_for
from instep.visitors.answers.schemas import Answer, Show
from instep.visitors.answers.section_reading import (
    SectionReading,
    numbered_contents,
    passages_asked_for,
    section_place,
    whole_sections,
    with_best_article,
)

log = structlog.get_logger()


@dataclass(frozen=True)
class CheckedReply:
    """A reply, and the parts that are supported by the sections that the model read."""

    reply: AnswerReply
    reading: SectionReading

    @cached_property
    def parts(self) -> list[CheckedPart]:
        return self.reading.checked_parts(self.reply)

    @property
    def refusals(self) -> list[str]:
        return [refusal for part in self.parts for refusal in part.refusals]

    @property
    def has_sentences(self) -> bool:
        return bool(self.reply.sections) and any(part.sentences for part in self.parts)

    def answer(self, context: RetrievedContext) -> Answer:
        """The answer from supported sentences and quotes; the sections that hold it, if a step is lost."""
        if self.reply.kind != "question":
            return talk_answer(self.reply.kind, context.locale)
        if not self.reply.sections:
            return declined_answer(context)
        parts = list(dict.fromkeys(part.with_quote for part in self.parts))
        written = self.reading.written_answer(self.reply, parts)
        if written and not any(part.is_lost_step for part in parts):
            return written
        holding = self.reading.named_extracts(self.reply.sections)
        passages = [extract.passage for extract in holding.values()]
        confidence = max(context.confidence, limits.ANSWER_THRESHOLD)
        holding_context = replace(context, passages=passages, confidence=confidence)
        quoted = answer_from(quotable_extracts(holding_context), holding_context)
        if quoted and not self.reply.complete:
            quoted = replace(quoted, blocks=(texts_for(context.locale).only_a_part, *quoted.blocks))
        return quoted or written or declined_answer(context)


class SectionReader:
    """A model that reads sections for a question. `enter` opens a transaction in which more are retrieved."""

    def __init__(
        self, enter: Enter, model: Model, request: QuestionRequest, show: Show | None = None
    ) -> None:
        self.enter = enter
        self.model = model
        self.request = request
        # None once something was shown: later replies are shown only when they are complete.
        self.show = show

    async def answer(self, context: RetrievedContext) -> Answer:
        with self.going_on():
            return await self.written(context)
        return extractive_answer(context)

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """A context that ends early if the model gives no reply."""
        try:
            yield
        except CompletionError as error:
            log.warning("a question goes on without the model", model=self.model.name, reason=error.message)

    async def written(self, context: RetrievedContext) -> Answer:
        if self.request.earlier:
            context = await self.standing_alone(context)
        if not context.passages:
            return declined_answer(context)
        best = await self.read(await self.first_reading(context))
        with self.going_on():
            best = await self.with_more_sections(best)
            best = await self.repaired(best)
        return best.answer(context)

    async def standing_alone(self, context: RetrievedContext) -> RetrievedContext:
        """The sections for the question, completed with the context of the earlier ones."""
        prompt = rewriting_prompt(self.request.text, self.request.earlier)
        rewritten = read_reply(Rewritten, (await self.model.complete(prompt)).text)
        question = " ".join(rewritten.question.split()) if rewritten else ""
        if not question or len(question) > limits.MAX_QUESTION_CHARACTERS:
            return context
        alone = await self.search(question)
        return alone if alone.passages else context

    async def search(self, text: str) -> RetrievedContext:
        async with self.enter() as ctx:
            return await retrieve_context(ctx, replace(self.request, text=text, earlier=()))

    async def first_reading(self, context: RetrievedContext) -> SectionReading:
        async with self.enter() as ctx:
            locale = context.passages[0].locale
            outline = await outline_of(ctx, context.query, locale, self.request.audience)
        return await to_thread.run_sync(self.reading_of, context, outline)

    def reading_of(self, context: RetrievedContext, outline: Sequence[OutlinedArticle]) -> SectionReading:
        room = limits.MAX_READ_CHARACTERS - limits.MAX_CONTENTS_CHARACTERS
        quotable = [passage for passage in context.passages if answers_questions(passage.kind)]
        extracts = whole_sections(with_best_article(quotable), room)
        return SectionReading(context, extracts, self.model.name, numbered_contents(extracts, outline))

    async def read(self, reading: SectionReading) -> CheckedReply:
        question, sections = reading.context.query, reading.labeled(reading.extracts)
        if reading.contents is None:
            return await self.complete(last_prompt(question, sections), reading)
        contents = "\n".join(reading.contents.lines)
        return await self.complete(first_prompt(question, sections, contents), reading)

    async def complete(self, prompt: Prompt, reading: SectionReading) -> CheckedReply:
        growing = GrowingReply(reading, self.show) if self.show else None
        completion = await self.model.complete(prompt, growing.add if growing else None)
        if growing and growing.was_shown:
            self.show = None
        return CheckedReply(require_reply(AnswerReply, completion.text), reading)

    async def with_more_sections(self, checked: CheckedReply) -> CheckedReply:
        """The reply after the model read the requested sections; the same reply if they contain no answer."""
        reply, reading = checked.reply, checked.reading
        if reply.kind != "question" or (checked.has_sentences and not reply.more):
            return checked
        further_passages = [*await self.requested_passages(checked), *await self.searched_passages(checked)]
        holding_passages = [extract.passage for extract in reading.named_extracts(reply.sections).values()]
        if not further_passages:
            return checked
        extracts = await to_thread.run_sync(
            whole_sections,
            [*holding_passages, *further_passages],
            limits.MAX_READ_CHARACTERS,
            limits.MAX_READ_CHARACTERS,
        )
        second = await self.read(SectionReading(reading.context, extracts, self.model.name))
        return checked if checked.has_sentences and not second.has_sentences else second

    async def requested_passages(self, checked: CheckedReply) -> list[Passage]:
        """The sections whose numbers the model chose from the table of contents."""
        numbers = checked.reply.more[: limits.MAX_SECTIONS_ASKED_FOR]
        contents = checked.reading.contents
        known_places = contents.places if contents else {}
        places = [known_places[number] for number in numbers if number in known_places]
        async with self.enter() as ctx:
            ids = list(dict.fromkeys(id for id, _ in places))
            sections = await sections_of_articles(ctx, ids, self.request.audience)
        return list(passages_asked_for(places, sections))

    async def searched_passages(self, checked: CheckedReply) -> list[Passage]:
        """The unread sections that the model's searches find, alternating between the searches."""
        read_places = {section_place(extract.passage) for extract in checked.reading.extracts.values()}
        texts = [" ".join(search.split()) for search in checked.reply.searches[:MAX_SEARCHES]]
        rankings = [
            (await self.search(text[: limits.MAX_QUESTION_CHARACTERS])).passages for text in texts if text
        ]
        return [
            passage
            for rank in range(limits.MAX_PASSAGES_RETRIEVED)
            for ranking in rankings
            for passage in ranking[rank : rank + 1]
            if section_place(passage) not in read_places
        ]

    async def repaired(self, checked: CheckedReply) -> CheckedReply:
        """The reply to the request to correct refused sentences, if fewer of its sentences are refused."""
        reply, reading = checked.reply, checked.reading
        if reply.kind != "question" or not reply.sections or not checked.refusals:
            return checked
        sections = reading.labeled([*reply.sections, *(part.section for part in reply.parts)])
        prompt = last_prompt(reading.context.query, sections, reply.parts, checked.refusals)
        again = await self.complete(prompt, reading)
        return again if again.has_sentences and len(again.refusals) < len(checked.refusals) else checked


class GrowingReply:
    """A reply that arrives in pieces; each time that more of it is supported, the answer so far is shown."""

    def __init__(self, reading: SectionReading, show: Show) -> None:
        self.reading = reading
        self.show = show
        self.text = ""
        self.parts: list[ReplyPart] = []
        self.was_shown = False

    def add(self, piece: str) -> None:
        if len(self.text) > MAX_BEGUN_CHARACTERS:
            return
        self.text += piece
        # The next part, or the end of their list, shows that a part is complete.
        reply = begun_reply(self.text) if "{" in piece or '"' in piece else None
        if reply is None or reply.parts == self.parts:
            return
        self.parts = reply.parts
        # An answer with a refused sentence is requested again.
        parts = takewhile(lambda part: not part.refusals, self.reading.checked_parts(reply))
        answer = self.reading.written_answer(reply, parts)
        if answer is not None:
            self.was_shown = True
            self.show(answer)


async def answer_with_model(
    enter: Enter,
    model: Model | None,
    context: RetrievedContext,
    request: QuestionRequest,
    show: Show | None = None,
) -> Answer:
    if model is None or context.talk is not None:
        return extractive_answer(context)
    return await SectionReader(enter, model, request, show).answer(context)
