"""What a question asks about, as words: two questions that share most of them ask the same."""

import unicodedata
from dataclasses import dataclass

from instep.core import limits
from instep.core.polarity import CONTRACTED_NOT, POLARITY_WORDS
from instep.core.words import words_of

# The dictionaries of PostgreSQL that know a language's endings and its words without weight.
DICTIONARIES = {
    **{"ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "english"},
    **{"es": "spanish", "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi"},
    **{"hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian"},
    **{"nb": "norwegian", "ne": "nepali", "nl": "dutch", "nn": "norwegian", "no": "norwegian"},
    **{"pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "sv": "swedish"},
    **{"ta": "tamil", "tr": "turkish", "yi": "yiddish"},
}
# What English questions are dressed in, beside the words that PostgreSQL leaves out.
FILLER_WORDS = ["please", "want", "need", "find", "get", "help", "possible", "way", "would", "could", "like"]


@dataclass(frozen=True, slots=True)
class QuestionKey:
    """A question as it was asked, its words, and those of them that must be the same in an equal one."""

    text: str
    words: list[str]
    marks: list[str]


def question_key(question: str) -> QuestionKey:
    text = " ".join(question.split())
    plain = CONTRACTED_NOT.sub(" not ", unicodedata.normalize("NFKC", text).casefold())
    words = list(dict.fromkeys(words_of(plain)))
    marks = sorted({word for word in words if word in POLARITY_WORDS or any(map(str.isdigit, word))})
    return QuestionKey(text, words or [plain.strip()[: limits.MAX_TERM_CHARACTERS]], marks)


def dictionary_of(locale: str) -> str:
    language = locale.split("-")[0]
    return f"{DICTIONARIES[language]}_stem" if language in DICTIONARIES else "simple"


def filler_words_of(locale: str) -> list[str]:
    return FILLER_WORDS if locale.split("-")[0] == "en" else []
