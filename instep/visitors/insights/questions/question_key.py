"""Groups questions with the same meaning: they have most of these words in common."""

import unicodedata
from dataclasses import dataclass

from instep.platform.core import limits
from instep.platform.core.polarity import CONTRACTED_NOT, POLARITY_WORDS
from instep.platform.text.terms import stop_words, words_in


@dataclass(frozen=True, slots=True)
class QuestionKey:
    """A question as asked, its words, and the `marks`: words that an equal question must share exactly."""

    text: str
    words: list[str]
    marks: list[str]


def question_key(question: str) -> QuestionKey:
    text = " ".join(question.split())
    normalized = CONTRACTED_NOT.sub(" not ", unicodedata.normalize("NFKC", text).casefold())
    words = list(dict.fromkeys(words_in(normalized)))
    marks = sorted({word for word in words if word in POLARITY_WORDS or any(map(str.isdigit, word))})
    return QuestionKey(text, words or [normalized.strip()[: limits.MAX_TERM_CHARACTERS]], marks)


def filler_words_of(locale: str) -> list[str]:
    return sorted(stop_words("question_key", locale.split("-")[0]))
