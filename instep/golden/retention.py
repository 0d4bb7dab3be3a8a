"""Whether another text of an article still says what answered a question.

Told by the words alone, in no time: `instep ask --golden` asks as a visitor would.
"""

import re
from dataclasses import dataclass
from functools import cached_property

from instep.golden.schemas import PublicText
from instep.text.terms import terms_of

BLANK_LINES = re.compile(r"\n[ \t]*\n")
HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
# Of the words of the passage that answered, and of those of the question that it holds.
SURVIVES = 0.5
HOLDS = 0.75


@dataclass(frozen=True)
class Pieces:
    """A text in pieces, each with the words of the heading above it."""

    told: PublicText

    @cached_property
    def terms(self) -> list[frozenset[str]]:
        found = [terms_of(self.told.description or "")]
        heading = ""
        for block in BLANK_LINES.split(self.told.content):
            if HEADING.match(block):
                heading = block.split("\n", 1)[0]
            found.append(terms_of(f"{heading}\n{block}"))
        return found

    def most(self, terms: frozenset[str]) -> int:
        """How many of the words the piece holds that holds most of them."""
        return max(len(terms & piece) for piece in self.terms)

    def most_below_title(self, terms: frozenset[str]) -> int:
        """The same with the words of the title, which stands above every piece."""
        title = terms & terms_of(self.told.title)
        return len(title) + self.most(terms - title)


def still_answers(question: str, before: PublicText, after: PublicText) -> bool:
    """Whether the piece that answered the question survives, and no other holds fewer of its words."""
    old, new = Pieces(before), Pieces(after)
    wanted = terms_of(question)
    best = max(old.terms, key=lambda piece: (len(wanted & piece), len(piece)))
    if not best:
        return True
    survives = new.most(best) >= SURVIVES * len(best)
    return survives and new.most_below_title(wanted) >= HOLDS * old.most_below_title(wanted)
