"""Samples of 3 to 300 articles of a set, each a help center of its own, with fixed seeds."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from eval.retrieval.question_sets import Question, QuestionSet

# The sizes that are reported, and how many samples of each; the fit of confidence takes larger ones, too.
REPORTED = {3: 40, 5: 30, 10: 20, 20: 12}
FITTED = {**REPORTED, 50: 6, 100: 4}
# Questions of one sample that it answers, and as many that it does not.
MAX_QUESTIONS = 6


@dataclass(frozen=True, slots=True)
class Sample:
    """A few articles of a set, questions that they answer, and as many that they don't."""

    size: int
    center: QuestionSet


def samples_of(questions: QuestionSet, counts: dict[int, int]) -> Iterator[Sample]:
    """Half of the articles of a sample answer a question; questions of the other articles have no answer."""
    for size, count in counts.items():
        if size > len(questions.articles) // 2:
            continue
        # Small sets give fewer samples, so that one set does not say the same often.
        most = max(4, 2 * len(questions.articles) // size)
        for number in range(min(count, most)):
            yield sample_of(questions, size, random.Random(f"{questions.name} {size} {number}"))


def sample_of(questions: QuestionSet, size: int, chance: random.Random) -> Sample:
    answering = sorted(
        {id for question in questions.questions for id in question.relevant} & set(questions.articles)
    )
    chosen = set(chance.sample(answering, min(len(answering), (size + 1) // 2)))
    chosen |= set(chance.sample(sorted(set(questions.articles) - chosen), size - len(chosen)))
    held = [question for question in questions.questions if chosen & set(question.relevant)]
    absent = [question for question in questions.questions if not chosen & set(question.relevant)]
    absent = absent or list(questions.unanswerable)
    held = chance.sample(held, min(MAX_QUESTIONS, len(held)))
    absent = chance.sample(absent, min(len(held), len(absent)))
    return Sample(
        size,
        QuestionSet(
            f"{questions.name}-{size}",
            {id: questions.articles[id] for id in questions.articles if id in chosen},
            held,
            [Question(question.id, question.text, {}) for question in absent],
        ),
    )
