"""Whether the text that an answer quotes holds the gold passage of its question."""

import re
from collections.abc import Sequence

from instep.visitors.answers.schemas import Answer

WORD = re.compile(r"\w+")
CITATION = re.compile(r"\[\d+\]")
# The words of a gold passage that are compared: an answer quotes the beginning of a long one.
MAX_WORDS = 60
# The share (0 to 1) of the compared words that the quoted text must have.
MIN_SHARE = 0.6


def passage_figures(passages: Sequence[str], answers: Sequence[Answer]) -> dict[str, float | int]:
    """Shares of the questions that were answered, and of the answers that hold the gold passage."""
    answered = [
        (passage, answer) for passage, answer in zip(passages, answers, strict=True) if answer.answered
    ]
    held = sum(holds(answer.text, passage) for passage, answer in answered)
    return {
        "questions": len(answers),
        "answered": len(answered),
        "answers_with_passage": round(held / len(answered), 4) if answered else 0.0,
    }


def holds(text: str, passage: str) -> bool:
    """True if a text has most of the first words of a passage, in any order."""
    words = WORD.findall(passage.lower())[:MAX_WORDS]
    quoted = set(WORD.findall(CITATION.sub("", text).lower()))
    return bool(words) and sum(word in quoted for word in words) >= MIN_SHARE * len(words)
