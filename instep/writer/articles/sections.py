"""The sections of an article: where each begins, where its own text ends, where its last subsection ends."""

from dataclasses import dataclass
from functools import lru_cache

from instep.writer.articles.headings import headings_of


@dataclass(frozen=True, slots=True)
class Section:
    """`mark` is how its heading is made: `##`, or the sign of its underline."""

    title: str
    mark: str
    start: int
    end: int
    whole_end: int
    text: str


@lru_cache(maxsize=256)
def sections_of(text: str) -> tuple[Section, ...]:
    heads = headings_of(text)
    starts = [head.start for head in heads] + [len(text)]
    made = []
    for n, head in enumerate(heads):
        after = next((other.start for other in heads[n + 1 :] if other.level <= head.level), len(text))
        own = text[head.start : starts[n + 1]]
        made.append(Section(head.title, head.mark, head.start, starts[n + 1], after, own))
    return tuple(made)
