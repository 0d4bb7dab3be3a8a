"""Answers written by a model from numbered passages: the prompt, and the part of the reply that is kept.

The passages, the question and the earlier ones are data. A sentence of the reply is kept only if it adds no
active markup and a passage that it cites supports it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from instep.answers.citing import has_no_active_markup, with_citation
from instep.answers.extractive import PassageExtract, extracted_units, title_and_headings
from instep.answers.support import is_supported
from instep.core import limits
from instep.llm.guard import DATA_RULE, LinkPolicy, added_markup, delimit, list_schema, read_reply
from instep.llm.protocol import Prompt
from instep.text.sentences import split_sentences

SYSTEM_PROMPT = f"""
You answer a question of a visitor of a help center from numbered passages of its articles.

{DATA_RULE}

Rules:
- First judge each passage: does it hold what the question asks for? `best` are the numbers of those that \
do, the best first. A passage on the same topic without the answer does not count. Without any, `best` and \
`parts` are empty.
- Say only what the passages say, as nearly in their words as you can, with their names, numbers and values. \
Guess nothing.
- `parts` are the answer in its order: each is one sentence, or one step as `1. …`, in plain Markdown. \
`sources` are the numbers of the passages that say what the part says. A part without one is left out.
- Bring in no links, addresses, pictures or HTML.
- Be brief: what was asked and no more. Answer in the language of the question.

Answer with JSON alone: {{"best": [1], "parts": [{{"text": "…", "sources": [1]}}]}}
""".strip()
NUMBERS = {"type": "array", "items": {"type": "integer"}}
PARTS = list_schema("parts", {"text": {"type": "string"}, "sources": NUMBERS})
SCHEMA = {**PARTS, "properties": {"best": NUMBERS, **PARTS["properties"]}, "required": ["best", "parts"]}
MAX_PARTS = 20
MAX_PART_CHARACTERS = 1_000
# Only the server writes the numbers of citations.
CITATION = re.compile(r"(?<!\s)\s*+\[\s*+\d++(?:\s*+,\s*+\d++)*+\s*+\]")
STEP = re.compile(r"(?:\d{1,3}[.)]|[-*+]) +")


class ReplyPart(BaseModel):
    text: str
    sources: list[int]


class ReplyParts(BaseModel):
    # The passages that hold the answer, the best first; `None` where a model leaves them out.
    best: list[int] | None = None
    parts: list[ReplyPart]


@dataclass(frozen=True, slots=True)
class SupportedSentence:
    """A sentence of the reply, and the number, from 1, of the first cited passage that supports it."""

    text: str
    number: int

    @property
    def is_step(self) -> bool:
        return STEP.match(self.text) is not None


def prompt_for(question: str, earlier: Sequence[str], extracts: Sequence[PassageExtract]) -> Prompt:
    parts = [(f"passage {number}", extract_text(extract)) for number, extract in enumerate(extracts, 1)]
    parts += [("an earlier question", text) for text in earlier]
    parts.append(("the question", question))
    return Prompt(SYSTEM_PROMPT, delimit(parts), SCHEMA, limits.MAX_ANSWER_TOKENS)


def extract_text(extract: PassageExtract) -> str:
    """A passage as the model reads it, below its headings."""
    path = " > ".join((extract.passage.title, *extract.passage.headings))
    return "\n".join([path, "", *(f"{unit.prefix}{unit.text}" for unit in extracted_units(extract))])


@dataclass(frozen=True, slots=True)
class ReadReply:
    """What is kept of a reply: the passages that hold the answer, best first, and the supported sentences."""

    best: tuple[int, ...]
    sentences: list[SupportedSentence]


def read_answer(reply: str, extracts: Sequence[PassageExtract]) -> ReadReply:
    """The part of a reply that counts; nothing where the model says that no passage holds the answer."""
    reply_parts = read_reply(ReplyParts, reply)
    if reply_parts is None or reply_parts.best == []:
        return ReadReply((), [])
    numbers = dict.fromkeys(number for number in reply_parts.best or () if 1 <= number <= len(extracts))
    sentences = [
        sentence for part in reply_parts.parts[:MAX_PARTS] for sentence in supported_in_part(part, extracts)
    ]
    return ReadReply(tuple(numbers), sentences)


def supported_in_part(part: ReplyPart, extracts: Sequence[PassageExtract]) -> Iterator[SupportedSentence]:
    if len(part.text) > MAX_PART_CHARACTERS:
        return
    text = " ".join(CITATION.sub("", part.text).split())
    if added_markup("", text, LinkPolicy()) or not has_no_active_markup(text):
        return
    match = STEP.match(text)
    step = match[0] if match else ""
    for sentence in split_sentences(text[len(step) :]):
        number = supporting_passage(sentence, part.sources, extracts)
        if number is not None:
            yield SupportedSentence(step + sentence, number)
            step = ""


def supporting_passage(
    sentence: str, numbers: Sequence[int], extracts: Sequence[PassageExtract]
) -> int | None:
    """The first of the numbers, from 1, whose passage supports the sentence."""
    plain = sentence.replace("**", "").replace("__", "")
    for number in numbers:
        if 1 <= number <= len(extracts) and is_supported(support_text(extracts[number - 1]), plain):
            return number
    return None


def support_text(extract: PassageExtract) -> str:
    """The plain text of a passage, a line for each unit, below its title and headings."""
    return "\n".join(
        [title_and_headings(extract.passage), *(unit.plain for unit in extracted_units(extract))]
    )


def join_blocks(sentences: Sequence[SupportedSentence], numbers: dict[int, int]) -> list[str]:
    """Markdown blocks of sentences in a row or of steps below each other; `numbers` are by passage number."""
    groups: list[list[SupportedSentence]] = []
    for sentence in sentences:
        if groups and groups[-1][-1].is_step == sentence.is_step:
            groups[-1].append(sentence)
        else:
            groups.append([sentence])
    return [
        ("\n" if group[0].is_step else " ").join(
            with_citation(sentence.text, numbers[sentence.number]) for sentence in group
        )
        for group in groups
    ]
