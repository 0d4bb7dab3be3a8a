"""Checks whether another text of an article still contains what answered a question.

This compares only terms, which is fast; `instep ask --golden` asks the questions as a visitor would.
"""

from dataclasses import dataclass
from functools import cached_property

from instep.content.golden.schemas import PublicText
from instep.platform.text.sections import read_sections, split_into_parts
from instep.platform.text.terms import terms_of

# In characters; longer parts of a text are compared in pieces.
MAX_PART_CHARACTERS = 3_000
# Shares, from 0 to 1, that one passage of the new text must keep: of the terms of the passage that answered,
# and of the question's terms in this passage.
MIN_PASSAGE_OVERLAP = 0.5
MIN_QUESTION_OVERLAP = 0.75


@dataclass(frozen=True)
class Passages:
    """The passages of a text, each with the terms of the heading above it."""

    text: PublicText

    @cached_property
    def terms(self) -> list[frozenset[str]]:
        return [
            terms_of(self.text.description or ""),
            *(
                terms_of("\n".join((*section.titles[-1:], part)))
                for section in read_sections(self.text.content)
                for part in split_into_parts(section.lines, MAX_PART_CHARACTERS)
            ),
        ]

    def max_overlap(self, terms: frozenset[str]) -> int:
        """The number of these terms in the passage with most of them."""
        return max(len(terms & passage) for passage in self.terms)

    def max_overlap_with_title(self, terms: frozenset[str]) -> int:
        """The same, counting the title's terms for every passage."""
        title_terms = terms & terms_of(self.text.title)
        return len(title_terms) + self.max_overlap(terms - title_terms)


def still_answers(question: str, before: PublicText, after: PublicText) -> bool:
    """True if the passage that answered the question survives, and a passage still covers its terms."""
    old, new = Passages(before), Passages(after)
    question_terms = terms_of(question)
    best = max(old.terms, key=lambda passage: (len(question_terms & passage), len(passage)))
    if not best:
        return True
    survives = new.max_overlap(best) >= MIN_PASSAGE_OVERLAP * len(best)
    overlap_before = old.max_overlap_with_title(question_terms)
    return survives and new.max_overlap_with_title(question_terms) >= MIN_QUESTION_OVERLAP * overlap_before
