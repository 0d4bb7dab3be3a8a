"""Places inside of pages: what the source calls a heading, and the id that our renderer gives it."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

from instep.core.markdown import GENERATED_ID, HEADING_PREFIX

NO_LETTER = re.compile(r"[\W_]+")
# A repeated heading has a number behind its id, in the ways of various generators.
REPETITION = re.compile(r"[-_]\d+$")
# A place that the source marks with an element of its own.
MARKED_PLACE = re.compile(r"""<[a-zA-Z][^<>]*?\s(?:id|name)\s*=\s*["']([^"'<>\s]+)["']""")
# Characters between a mark and the heading right after it.
MAX_DISTANCE = 200


@dataclass(slots=True)
class HeadingAnchors:
    """The ids of one page's headings by each name that a link may use for them."""

    by_name: dict[str, str] = field(default_factory=dict)

    def id_of(self, fragment: str) -> str | None:
        """The id, without the prefix of ours, that a fragment of the source means."""
        # Links of an export, and of addresses that readers copy from our pages, have the prefix of ours.
        bare_names = (fragment.removeprefix(prefix) for prefix in ("user-content-", HEADING_PREFIX))
        for name in (fragment, *bare_names, letters(fragment)):
            if name in self.by_name:
                return self.by_name[name]
        bare = letters(REPETITION.sub("", fragment))
        return self.by_name.get(bare) if bare else None


def heading_anchors_of(
    markdown: str,
    headings: Sequence[tuple[str, str]],
    heading_ids: Sequence[tuple[str, int]],
    heading_places: Sequence[int],
) -> HeadingAnchors:
    """The anchors of a text: `headings` are ids of ours with words, `heading_places` where they stand."""
    anchors = HeadingAnchors()
    for name, number in heading_ids:
        if (id := id_at(headings, number)) is not None:
            anchors.by_name.setdefault(name, id)
    named = [(id, words) for id, words in headings if id]
    for id, _ in named:
        anchors.by_name.setdefault(id, id)
    for match in MARKED_PLACE.finditer(markdown):
        nearest = number_of_heading(match.start(), heading_places)
        if nearest is not None and (id := id_at(headings, nearest)) is not None:
            anchors.by_name.setdefault(match[1], id)
    for id, words in named:
        anchors.by_name.setdefault(letters(id), id)
        anchors.by_name.setdefault(letters(words), id)
    return anchors


def id_at(headings: Sequence[tuple[str, str]], number: int) -> str | None:
    """The id of a heading, or of the next one if it has no words."""
    return next((id for id, _ in headings[max(number, 0) :] if id), None)


def number_of_heading(place: int, heading_places: Sequence[int]) -> int | None:
    """The heading that a marked place belongs to: the one right after it, else the one before it."""
    following = next((number for number, start in enumerate(heading_places) if start >= place), None)
    if following is not None and heading_places[following] - place <= MAX_DISTANCE:
        return following
    before = len(heading_places) if following is None else following
    return before - 1 if before else following


def letters(name: str) -> str:
    """The letters and digits of a name alone, without accents: what all generators of ids agree on."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    return NO_LETTER.sub("", "".join(sign for sign in plain if not unicodedata.combining(sign)))


def as_fragment(id: str, *, is_same_page: bool) -> str:
    """What a link writes behind `#`: inside of a page without our prefix, which the renderer adds."""
    if is_same_page and not GENERATED_ID.fullmatch(id):
        return id
    return HEADING_PREFIX + id
