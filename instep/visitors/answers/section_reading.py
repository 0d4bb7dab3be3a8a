"""A model's input for a question: numbered sections, and a table of contents of sections it may request."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import count

from instep.platform.core import limits
from instep.search.article_outline import outline_headings
from instep.search.schemas import OutlinedArticle, Passage
from instep.visitors.answers.answer_blocks import read_answer_blocks
from instep.visitors.answers.ask import RetrievedContext, cited_passage
from instep.visitors.answers.checked_parts import CheckedPart, check_part, join_parts
from instep.visitors.answers.citing import has_no_active_markup
from instep.visitors.answers.extractive import PassageExtract, is_for_readers
from instep.visitors.answers.generative import AnswerReply, ReplyPart
from instep.visitors.answers.inlines import inline_text
from instep.visitors.answers.schemas import Answer

MAX_PARTS = 20
# An article, and the number of a heading in it; without one all of its sections.
SectionPlace = tuple[str, int | None]


@dataclass(frozen=True, slots=True)
class NumberedContents:
    """A table of contents, and the places of its numbers."""

    text: str = ""
    places: dict[int, SectionPlace] = field(default_factory=dict)


class SectionReading:
    """The sections that a model reads for a question by their numbers, and what they support of its reply."""

    def __init__(
        self,
        context: RetrievedContext,
        extracts: Sequence[PassageExtract],
        model: str,
        contents: NumberedContents | None = None,
    ) -> None:
        self.context = context
        self.extracts = dict(enumerate(extracts, 1))
        self.model = model
        self.contents = contents or NumberedContents()
        # A reply that arrives in parts is read many times.
        self.checked = cache(self.checked_part)

    def checked_part(self, part: ReplyPart, language: str) -> CheckedPart:
        return check_part(part, self.extracts.get(part.section), self.context.query, language)

    def checked_parts(self, reply: AnswerReply) -> list[CheckedPart]:
        return [self.checked(part, reply.language) for part in reply.parts[:MAX_PARTS]]

    def named_extracts(self, numbers: Iterable[int]) -> dict[int, PassageExtract]:
        return {number: self.extracts[number] for number in numbers if number in self.extracts}

    def written_answer(self, checked: Iterable[CheckedPart]) -> Answer | None:
        """The answer from the supported sentences of a reply; None if there are none."""
        parts = [part for part in checked if part.sentences]
        # The number of the citation for each number of a section, in the order in which they are first cited.
        numbers = {number: n for n, number in enumerate(dict.fromkeys(part.number for part in parts), 1)}
        blocks = tuple(join_parts(parts, numbers))
        if not blocks or not has_no_active_markup("\n\n".join(blocks)):
            return None
        confidence = max(self.context.confidence, limits.ANSWER_THRESHOLD)
        sources = tuple(cited_passage(n, self.extracts[number]) for number, n in numbers.items())
        translated = [self.extracts[part.number].passage.locale for part in parts if part.is_translated]
        return Answer(
            blocks, True, confidence, sources, self.model, translated_from=next(iter(translated), None)
        )


def whole_sections(
    passages: Iterable[Passage], max_characters: int, max_section: int = limits.MAX_SECTION_CHARACTERS
) -> list[PassageExtract]:
    """The sections of passages, each once, with all that is for readers, as far as they fit together."""
    sections: dict[tuple[str, str], Passage] = {}
    size = 0
    for passage in passages:
        text = passage.section_up_to(max_section)
        place = (passage.article_id, text)
        if place not in sections and (not sections or size + len(text) <= max_characters):
            sections[place] = passage
            size += len(text)
    return [
        PassageExtract(passage, tuple(filter(is_for_readers, read_answer_blocks(text))))
        for (_, text), passage in sections.items()
    ]


def numbered_contents(
    outline: Sequence[OutlinedArticle], extracts: Sequence[PassageExtract]
) -> NumberedContents:
    """The articles by their titles, and the headings of the nearest ones as far as there is room.

    Each title and heading has a number; that of a section among `extracts` is its number there.
    """
    known_numbers = {section_place(extract.passage): n for n, extract in enumerate(extracts, 1)}
    numbers = count(len(extracts) + 1)
    places: dict[int, SectionPlace] = {}
    room = limits.MAX_CONTENTS_CHARACTERS - sum(len(article.title) + len("100 \n") for article in outline)
    lines = list[str]()

    def numbered(place: SectionPlace, text: str) -> str:
        number = known_numbers.get(place) or next(numbers)
        places[number] = place
        return f"{number} {inline_text(text)}"

    for article in outline:
        line, headings = numbered((article.id, None), article.title), outline_headings(article)
        room -= sum(len(heading) + len("100 ; ") for heading in headings.values())
        if room > 0:
            texts = (numbered((article.id, number), text) for number, text in headings.items())
            line = ": ".join(filter(None, [line, "; ".join(texts)]))
        lines.append(line)
    return NumberedContents("\n".join(lines), places)


def section_place(passage: Passage) -> SectionPlace:
    if passage.sections is None:
        return passage.article_id, None
    return passage.article_id, passage.sections.passages[passage.number].number


def passages_asked_for(
    places: Iterable[SectionPlace], sections: dict[str, dict[int | None, Passage]]
) -> Iterator[Passage]:
    """The first passages of the sections at these places; `sections`: by article and number of heading."""
    for article_id, number in places:
        of_article = sections.get(article_id, {})
        if number is None:
            yield from of_article.values()
        elif number in of_article:
            yield of_article[number]
