"""Checks independently of the product that the articles an answer cites contain its sentences."""

import re
from html import unescape

from tests.support.cast import Json
from tests.support.questions import CITATION, CODE

TAG = re.compile(r"<[^>]*>")
EMPHASIS = re.compile(r"[*_`~\\|]+")
WORD = re.compile(r"\w+")
# The text since the previous citation, and the citation's number.
CITED = re.compile(r"(?s)(.*?) \[(\d+)\]")
# A citation on its own line, below code.
CITATION_LINE = re.compile(r"(?m)^\[\d+\]$")
# The phrase for an excerpt of a list of steps.
STEPS = re.compile(r"Steps \d+ to \d+ of \d+")
FENCE = re.compile(r"(?ms)^ *(```+)\n(.*?)^ *\1$")


def words_of(text: str) -> str:
    """The words without punctuation and markup, each surrounded by spaces."""
    return f" {' '.join(WORD.findall(EMPHASIS.sub('', unescape(text)).lower()))} "


def words_of_page(html: str) -> str:
    """The words that an article's page displays."""
    return words_of(TAG.sub("", re.sub(r"</?(?:p|li|h\d|td|th|tr|br|pre|div|ul|ol)\b[^>]*>", " ", html)))


def unsupported(answer: Json, pages: dict[str, str]) -> list[str]:
    """The answer's sentences, steps, rows and code that no cited source contains verbatim."""
    by_number = {source["n"]: pages[source["articleId"]] for source in answer["sources"]}
    text = answer["answer"]
    codes = [match[2] for match in FENCE.finditer(text)]
    missing = [code for code in codes if not any(words_of(code) in page for page in by_number.values())]
    prose = CITATION_LINE.sub("", FENCE.sub("", text))
    for cited, number in CITED.findall(prose):
        sentence = re.sub(r"^[\s.!?:;,\"')|]*(?:\d+[.)] )?", "", cited)
        if STEPS.fullmatch(sentence):
            continue
        if words_of(sentence).strip() and words_of(sentence.split("|---|")[-1]) not in by_number[int(number)]:
            missing.append(sentence)
    rest = CITED.sub("", prose)
    return missing + ([rest] if WORD.search(CODE.sub("", rest)) else [])


def numbers_are_those_of_sources(answer: Json) -> bool:
    numbers = [source["n"] for source in answer["sources"]]
    cited = {int(n) for n in CITATION.findall(CODE.sub("", answer["answer"]))}
    return numbers == list(range(1, len(numbers) + 1)) and cited == set(numbers)
