"""Builds a model's input for a question: numbered sections, and a table of contents of more sections."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import count

from instep.platform.core import limits
from instep.search.article_outline import outlined_names, section_names
from instep.search.schemas import OutlinedArticle, Passage
from instep.visitors.answers.answer_blocks import read_answer_blocks
from instep.visitors.answers.ask import RetrievedContext, cited_passage
from instep.visitors.answers.checked_parts import CheckedPart, check_part, join_parts
from instep.visitors.answers.citing import has_no_active_markup
from instep.visitors.answers.extractive import PassageExtract, is_for_readers
from instep.visitors.answers.generative import AnswerReply, ReplyPart, extract_text
from instep.visitors.answers.inlines import inline_text
from instep.visitors.answers.reply_texts import texts_for
from instep.visitors.answers.schemas import Answer

MAX_PARTS = 20
# An article, and the number of a heading in it: none is that of its opening.
SectionPlace = tuple[str, int | None]
WHOLE_ARTICLE = -1


class NumberedContents:
    """A table of contents: articles by their titles, with their sections as far as there is room.

    Titles and sections have numbers; that of a section among `extracts` is its number there.
    """

    def __init__(self, extracts: Sequence[PassageExtract]) -> None:
        self.shown_sections = {
            section_place(extract.passage): (n, extract) for n, extract in enumerate(extracts, 1)
        }
        self.places = {n: place for place, (n, _) in self.shown_sections.items()}
        self.numbers = count(len(extracts) + 1)
        self.room = limits.MAX_CONTENTS_CHARACTERS
        self.lines: list[str] = []

    def add(self, article_id: str, title: str, names: Mapping[int | None, str]) -> None:
        line = self.numbered((article_id, WHOLE_ARTICLE), title)
        sections = list[str]()
        for number, name in names.items():
            self.room -= len(name) + len("100 ; ")
            if self.room < 0:
                sections.append("…")
                break
            sections.append(self.numbered((article_id, number), name))
        self.lines.append(": ".join(filter(None, [line, "; ".join(sections)])))

    def numbered(self, place: SectionPlace, text: str) -> str:
        if place in self.shown_sections:
            number, extract = self.shown_sections[place]
            return f"{number} {inline_text(text)} ({'shown in part' if extract.is_cut else 'shown'})"
        number = next(self.numbers)
        self.places[number] = place
        return f"{number} {inline_text(text)}"


class SectionReading:
    """The sections that a model reads for a question, by number, and the supported parts of its reply."""

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
        # None if the model may ask for no more.
        self.contents = contents
        # A reply that arrives in parts is read many times.
        self.checked = cache(self.checked_part)

    def checked_part(self, part: ReplyPart, language: str) -> CheckedPart:
        return check_part(part, self.extracts.get(part.section), self.context.query, language)

    def checked_parts(self, reply: AnswerReply) -> list[CheckedPart]:
        return [self.checked(part, reply.language) for part in reply.parts[:MAX_PARTS]]

    def labeled(self, numbers: Iterable[int]) -> list[tuple[str, str]]:
        """The texts of the sections with these numbers, with labels for a prompt."""
        return [
            (f"section {number}{' in part' if extract.is_cut else ''}", extract_text(extract))
            for number, extract in self.named_extracts(numbers).items()
        ]

    def named_extracts(self, numbers: Iterable[int]) -> dict[int, PassageExtract]:
        return {number: self.extracts[number] for number in numbers if number in self.extracts}

    def written_answer(self, reply: AnswerReply, checked: Iterable[CheckedPart]) -> Answer | None:
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
        if not reply.complete:
            language = reply.language if translated else self.context.locale
            blocks = (texts_for(language).only_a_part, *blocks)
        return Answer(
            blocks, True, confidence, sources, self.model, translated_from=next(iter(translated), None)
        )


def whole_sections(
    passages: Sequence[Passage], max_characters: int, max_section: int = limits.MAX_SECTION_CHARACTERS
) -> list[PassageExtract]:
    """The sections of passages and the openings of their articles, each once, as far as they fit together.

    Articles are in the order of their best passages, and have their sections in their own order.
    """
    asked_places = {section_place(passage) for passage in passages}
    sections: dict[SectionPlace, tuple[Passage, str]] = {}
    size = 0
    for passage in with_openings(passages):
        place = section_place(passage)
        longest = max_section if place in asked_places else limits.MAX_OPENING_CHARACTERS
        text = passage.section_up_to(min(longest, max_characters - size))
        if place not in sections and size + len(text) <= max_characters:
            sections[place] = passage, text
            size += len(text)
    articles = list(dict.fromkeys(passage.article_id for passage in passages))
    ordered = sorted(
        sections.values(), key=lambda section: (articles.index(section[0].article_id), section[0].number)
    )
    return [
        PassageExtract(
            passage,
            tuple(filter(is_for_readers, read_answer_blocks(text))),
            is_cut=len(text) < len(passage.section_up_to(limits.MAX_INDEXED_CHARACTERS)),
        )
        for passage, text in ordered
    ]


def with_openings(passages: Iterable[Passage]) -> Iterator[Passage]:
    """The passages, before the first one of each article its opening, if that has a text."""
    articles = set[str]()
    for passage in passages:
        if passage.article_id not in articles and not (first := passage.at(0)).headings:
            yield first
        articles.add(passage.article_id)
        yield passage


def with_best_article(passages: Sequence[Passage]) -> list[Passage]:
    """The passages, and all sections of a short best article, because any may have a condition or a step."""
    best = passages[0].sections if passages else None
    size = sum(len(passage.markdown) for passage in best.passages) if best else 0
    is_short = size <= limits.MAX_WHOLE_ARTICLE_CHARACTERS
    return [*passages, *(passages[0].sections_of_article().values() if best and is_short else ())]


def numbered_contents(
    extracts: Sequence[PassageExtract], outline: Sequence[OutlinedArticle]
) -> NumberedContents:
    """The contents of the articles of extracts, then of others."""
    contents = NumberedContents(extracts)
    articles = {extract.passage.article_id: extract.passage for extract in extracts}
    others = [article for article in outline if article.id not in articles]
    contents.room -= sum(len(article.title) + len("100 \n") for article in others)
    for id, passage in articles.items():
        contents.add(id, passage.title, section_names(passage.sections.passages if passage.sections else ()))
    for article in others:
        contents.add(article.id, article.title, outlined_names(article) if contents.room > 0 else {})
    return contents


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
        if number == WHOLE_ARTICLE:
            yield from of_article.values()
        elif number in of_article:
            yield of_article[number]
