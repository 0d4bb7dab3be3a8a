"""Whether the articles that an answer cites have its sentences: the tests' own measure."""

import re
from html import unescape

from tests.support.cast import Json
from tests.support.questions import CITATION, CODE

TAG = re.compile(r"<[^>]*>")
EMPHASIS = re.compile(r"[*_`~\\|]+")
WORD = re.compile(r"\w+")
# The text between the citation before and this one, and its number.
CITED = re.compile(r"(?s)(.*?) \[(\d+)\]")
# The citation in a line of its own, below code.
CITATION_LINE = re.compile(r"(?m)^\[\d+\]$")
# What is said of steps that are not all: where they stand among them.
STEPS = re.compile(r"Steps \d+ to \d+ of \d+")
FENCE = re.compile(r"(?ms)^ *(```+)\n(.*?)^ *\1$")


def words_of(text: str) -> str:
    """The words without punctuation and marks, with a blank around each."""
    return f" {' '.join(WORD.findall(EMPHASIS.sub('', unescape(text)).lower()))} "


def words_of_page(html: str) -> str:
    """The words that an article's page shows."""
    return words_of(TAG.sub("", re.sub(r"</?(?:p|li|h\d|td|th|tr|br|pre|div|ul|ol)\b[^>]*>", " ", html)))


def unsupported(answer: Json, pages: dict[str, str]) -> list[str]:
    """The sentences, steps, rows and pieces of code that no source of the answer says word by word."""
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
