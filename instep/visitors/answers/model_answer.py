"""Answers that a model writes: it reads the best sections, judges which hold the answer, and may search once.

No transaction is open while it works. Without a model, or without a reply that can be read, the answer is in
the articles' own words. A visitor may be shown the answer while the model writes it: each part of the reply
is checked as soon as it is complete, and a part that is refused is never shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import structlog
from anyio import to_thread

from instep.platform.core import limits
from instep.platform.llm.budget import Enter
from instep.platform.llm.guard import read_reply, require_reply
from instep.platform.llm.protocol import CompletionError, Model
from instep.search.passage_kinds import answers_questions
from instep.search.schemas import Passage
from instep.visitors.answers.answer_blocks import read_answer_blocks
from instep.visitors.answers.ask import (
    QuestionRequest,
    RetrievedContext,
    citation_numbers,
    cited_passage,
    declined_answer,
    extractive_answer,
    retrieve_context,
    talk_answer,
)
from instep.visitors.answers.citing import has_no_active_markup
from instep.visitors.answers.extractive import PassageExtract, is_for_readers
from instep.visitors.answers.generative import (
    MAX_BEGUN_CHARACTERS,
    MAX_PARTS,
    MAX_SEARCHES,
    AnswerReply,
    ReplyPart,
    Rewritten,
    SupportedSentence,
    begun_reply,
    join_blocks,
    prompt_for,
    rewriting_prompt,
    supported_in_part,
)
from instep.visitors.answers.schemas import Answer, Show

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class SectionReader:
    """A model that reads sections for a question. `enter` opens a transaction in which more are retrieved."""

    enter: Enter
    model: Model
    request: QuestionRequest
    show: Show | None = None

    async def answer(self, context: RetrievedContext) -> Answer:
        try:
            return await self.written(context)
        except CompletionError as error:
            log.warning("a question goes on without the model", model=self.model.name, reason=error.message)
            return extractive_answer(context)

    async def written(self, context: RetrievedContext) -> Answer:
        if self.request.earlier:
            context = await self.standing_alone(context)
        if not context.passages:
            return declined_answer(context)
        reading, reply = await self.read(context)
        # Nothing is shown of a reply that names no section.
        if reply.kind == "question" and not reply.sections and reply.searches:
            more = await self.search(context, reply.searches)
            if more.passages:
                reading, reply = await self.read(more)
        return answer_of(reply, reading, context)

    async def standing_alone(self, context: RetrievedContext) -> RetrievedContext:
        """The sections for the question with what it takes from the earlier ones."""
        prompt = rewriting_prompt(self.request.text, self.request.earlier)
        rewritten = read_reply(Rewritten, (await self.model.complete(prompt)).text)
        question = " ".join(rewritten.question.split()) if rewritten else ""
        if not question or len(question) > limits.MAX_QUESTION_CHARACTERS:
            return context
        request = replace(self.request, text=question, earlier=())
        async with self.enter() as ctx:
            alone = await retrieve_context(ctx, request)
        return alone if alone.passages else context

    async def read(self, context: RetrievedContext) -> tuple["SectionReading", AnswerReply]:
        extracts = await to_thread.run_sync(read_sections, context.passages)
        reading = SectionReading(context, extracts, self.model.name)
        on_text = None if self.show is None else GrowingReply(reading, self.show).add
        completion = await self.model.complete(prompt_for(context.query, extracts), on_text)
        return reading, require_reply(AnswerReply, completion.text)

    async def search(self, context: RetrievedContext, searches: Sequence[str]) -> RetrievedContext:
        """The sections that the model's searches find and that it has not read, of each search in turn."""
        read_places = {(passage.article_id, passage.number) for passage in context.passages}
        rankings = []
        async with self.enter() as ctx:
            for search in searches[:MAX_SEARCHES]:
                text = " ".join(search.split())[: limits.MAX_QUESTION_CHARACTERS]
                if text:
                    request = replace(self.request, text=text, earlier=())
                    rankings.append((await retrieve_context(ctx, request)).passages)
        more = {
            (passage.article_id, passage.number): passage
            for rank in range(limits.MAX_PASSAGES_RETRIEVED)
            for ranking in rankings
            for passage in ranking[rank : rank + 1]
        }
        new = [passage for place, passage in more.items() if place not in read_places]
        return replace(context, passages=new[: limits.MAX_PASSAGES_RETRIEVED])


def read_sections(passages: Sequence[Passage]) -> list[PassageExtract]:
    quotable = [passage for passage in passages if answers_questions(passage.kind)]
    return [whole_section(passage) for passage in sections_to_read(quotable)]


def sections_to_read(passages: Sequence[Passage]) -> list[Passage]:
    """The best passage of each section that was found, then the other sections of the best articles."""
    first: dict[tuple[str, str], Passage] = {}
    articles: dict[str, Passage] = {}
    for passage in passages:
        first.setdefault(place_of(passage), passage)
        articles.setdefault(passage.article_id, passage)
    size = sum(len(section) for _, section in first)
    for article in [*articles.values()][: limits.MAX_ARTICLES_READ_ON]:
        for other in article.sections_of_article():
            size_with = size + len(other.section)
            if place_of(other) not in first and size_with <= limits.MAX_READ_CHARACTERS:
                first[place_of(other)], size = other, size_with
    return list(first.values())


def place_of(passage: Passage) -> tuple[str, str]:
    return passage.article_id, passage.section


def whole_section(passage: Passage) -> PassageExtract:
    """The section of a passage with all that is for readers: the model judges what bears on the question."""
    return PassageExtract(passage, tuple(filter(is_for_readers, read_answer_blocks(passage.section))))


class SectionReading:
    """The sections that a model reads for a question, and the answer that they support of its reply."""

    def __init__(self, context: RetrievedContext, extracts: Sequence[PassageExtract], model: str) -> None:
        self.context = context
        self.extracts = extracts
        self.model = model
        # A reply that arrives in parts is read many times.
        self.supported = cache(self.supported_sentences)

    def supported_sentences(self, part: ReplyPart, language: str) -> list[SupportedSentence]:
        if not 1 <= part.section <= len(self.extracts):
            return []
        extract = self.extracts[part.section - 1]
        return list(supported_in_part(part, extract, self.context.query, language))

    def written_answer(self, reply: AnswerReply) -> Answer | None:
        """The answer from the supported sentences of a reply; None if there are none."""
        sentences = [
            each for part in reply.parts[:MAX_PARTS] for each in self.supported(part, reply.language)
        ]
        numbers = citation_numbers([sentence.number for sentence in sentences])
        blocks = tuple(join_blocks(sentences, numbers))
        if not blocks or not has_no_active_markup("\n\n".join(blocks)):
            return None
        confidence = max(self.context.confidence, limits.ANSWER_THRESHOLD)
        sources = tuple(cited_passage(n, self.extracts[number - 1]) for number, n in numbers.items())
        translated = [each for each in sentences if each.is_translated]
        locale = self.extracts[translated[0].number - 1].passage.locale if translated else None
        return Answer(blocks, True, confidence, sources, self.model, translated_from=locale)


class GrowingReply:
    """A reply that arrives in pieces. Whenever more of it is supported, the answer so far is shown."""

    def __init__(self, reading: SectionReading, show: Show) -> None:
        self.reading = reading
        self.show = show
        self.text = ""
        self.parts: list[ReplyPart] = []

    def add(self, piece: str) -> None:
        if len(self.text) > MAX_BEGUN_CHARACTERS:
            return
        self.text += piece
        # The next part, or the end of their list, shows that a part is complete.
        reply = begun_reply(self.text) if "{" in piece or '"' in piece else None
        if reply is None or reply.parts == self.parts:
            return
        self.parts = reply.parts
        answer = self.reading.written_answer(reply)
        if answer is not None:
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


def answer_of(reply: AnswerReply, reading: SectionReading, context: RetrievedContext) -> Answer:
    """The answer from the supported sentences; without any, the sections that hold it are quoted."""
    if reply.kind != "question":
        return talk_answer(reply.kind, context.locale)
    if not reply.sections:
        return declined_answer(context)
    if written := reading.written_answer(reply):
        return written
    best = dict.fromkeys(number for number in reply.sections if 1 <= number <= len(reading.extracts))
    passages = [reading.extracts[number - 1].passage for number in best]
    if not passages:
        return declined_answer(context)
    confidence = max(context.confidence, limits.ANSWER_THRESHOLD)
    return extractive_answer(replace(context, passages=passages, confidence=confidence))
