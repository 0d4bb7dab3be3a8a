"""Whether an answer's sentences stand in the articles that they name: the tests' own measure."""

import re
from html import unescape

from tests.support.cast import Json
from tests.support.questions import CODE, MARK

TAG = re.compile(r"<[^>]*>")
MARKS = re.compile(r"[*_`~\\|]+")
WORD = re.compile(r"\w+")
# What comes before each mark since the one before it.
CITED = re.compile(r"(?s)(.*?) \[(\d+)\]")
# The mark of code that nothing announces.
ALONE = re.compile(r"(?m)^\[\d+\]$")
FENCE = re.compile(r"(?ms)^ *(```+)\n(.*?)^ *\1$")


def words_of(text: str) -> str:
    """The words alone, with a blank around each."""
    return f" {' '.join(WORD.findall(MARKS.sub('', unescape(text)).lower()))} "


def shown_words(html: str) -> str:
    """The words that an article's page shows."""
    return words_of(TAG.sub("", re.sub(r"</?(?:p|li|h\d|td|th|tr|br|pre|div|ul|ol)\b[^>]*>", " ", html)))


def unsupported(answer: Json, pages: dict[str, str]) -> list[str]:
    """The sentences, steps, rows and pieces of code that no source of the answer says word by word."""
    by_number = {source["n"]: pages[source["articleId"]] for source in answer["sources"]}
    text = answer["answer"]
    code = [found[2] for found in FENCE.finditer(text)]
    lost = [piece for piece in code if not any(words_of(piece) in page for page in by_number.values())]
    prose = ALONE.sub("", FENCE.sub("", text))
    for said, number in CITED.findall(prose):
        sentence = re.sub(r"^[\s.!?:;,\"')]*(?:\d+[.)] )?", "", said)
        if words_of(sentence).strip() and words_of(sentence.split("|---|")[-1]) not in by_number[int(number)]:
            lost.append(sentence)
    rest = CITED.sub("", prose)
    return lost + ([rest] if WORD.search(CODE.sub("", rest)) else [])


def numbers_are_those_of_sources(answer: Json) -> bool:
    told = [source["n"] for source in answer["sources"]]
    used = {int(n) for n in MARK.findall(CODE.sub("", answer["answer"]))}
    return told == list(range(1, len(told) + 1)) and used == set(told)
