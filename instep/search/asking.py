"""A question as what is looked for: its words as the bot's languages read them, each with its weight.

A plan holds all that a score depends on beside the article itself. While a client pages it stays the same, so
that an article that does not change keeps its score.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from math import log
from typing import Any

from instep.identity.schemas import Ctx
from instep.search import lexicon
from instep.search.segment import Names
from instep.search.shelf import Index
from instep.search.stems import LETTERS, Stems, key_of, stems_of
from instep.search.typing_errors import near
from instep.search.vectors import Meant
from instep.search.words import HUMP, SHORTEST_BEGINNING, SPACELESS_RUN, read_question, title_of

# What counts as much as the word itself would is 1.
SAME_MEANING = 0.5
TYPING_ERROR = 0.7
BEGINNING = 0.9
FILLER = 0.4
# Two words of a name in code that stand together in a text, beside each of them.
TOGETHER = 0.3
MOST_BEGINNINGS = 30
MOST_CORRECTIONS = 5


@dataclass(frozen=True, slots=True)
class Wish:
    """A word that is looked for, or a pair of words of a name in code."""

    word: str
    weight: float
    is_pair: bool
    # What is found for it, and how much that counts.
    keys: tuple[tuple[str, float], ...]
    # The languages that leave the word out.
    left_out_by: frozenset[str]
    is_filler: bool = False
    is_known: bool = True


@dataclass(frozen=True, slots=True)
class Plan:
    """`phrases` are words that must stand together; `title` is the whole question, as titles are compared."""

    wishes: tuple[Wish, ...]
    phrases: tuple[str, ...]
    title: str
    needs_all: bool
    # How long passages and articles of the bot are.
    lengths: tuple[int, int]
    # The articles that are near in meaning; where nothing tells that, none.
    meant: tuple[Meant, ...] = ()

    @property
    def total(self) -> float:
        return sum(wish.weight for wish in self.wishes if not wish.is_pair) or 1.0

    @property
    def beginnings(self) -> list[str]:
        """How the words that were found begin whatever their endings are, for the excerpt."""
        stems = [key[1:] for wish in self.wishes if not wish.is_pair for key, _ in wish.keys]
        shorter = [stem[:-1] if len(stem) > 4 and stem.endswith("i") else stem for stem in stems]
        return list(dict.fromkeys((*(wish.word for wish in self.wishes if not wish.is_pair), *shorter)))


def packed(plan: Plan) -> list[Any]:
    """The plan as a cursor carries it."""
    wishes = [
        [wish.word, wish.weight, wish.is_pair, wish.is_filler, "".join(sorted(wish.left_out_by)), wish.keys]
        for wish in plan.wishes
    ]
    meant = [(one.article_id, one.first, one.last, one.likeness) for one in plan.meant]
    return [wishes, plan.phrases, plan.title, plan.needs_all, plan.lengths, meant]


def unpacked(value: list[Any]) -> Plan:
    wishes, phrases, title, needs_all, lengths, meant = value
    return Plan(
        tuple(
            Wish(
                word,
                weight,
                is_pair,
                tuple((key, factor) for key, factor in keys),
                frozenset(letters),
                is_filler,
            )
            for word, weight, is_pair, is_filler, letters, keys in wishes
        ),
        tuple(phrases),
        title,
        needs_all,
        tuple(lengths),
        tuple(Meant(*one) for one in meant),
    )


class Asking:
    """One question to one index; its terms are words in small letters."""

    def __init__(
        self,
        question: str,
        terms: list[list[str]],
        index: Index,
        stems: dict[str, Stems],
        lexicon_stems: Stems,
    ) -> None:
        self.title = title_of(question)
        self.terms = terms
        self.index = index
        self.stems = stems
        self.fillers = {lexicon_stems[word] for word in lexicon.FILLERS}
        self.same: dict[str | None, set[str]] = {}
        for line in lexicon.SAME:
            read = {stem for word in line if (stem := lexicon_stems.get(word))}
            for stem in read:
                self.same.setdefault(stem, set()).update(read - {stem})

    @property
    def wishes(self) -> tuple[Wish, ...]:
        return tuple(self.said()) or tuple(self.left_out())

    def said(self) -> Iterator[Wish]:
        seen: set[str] = set()
        for term in self.terms:
            for word in term:
                if word not in seen and (wish := self.wish(word)):
                    seen.add(word)
                    yield wish
            for first, second in pairwise(term):
                if f"{first} {second}" not in seen and (wish := self.pair(first, second)):
                    seen.add(wish.word)
                    yield wish

    def left_out(self) -> Iterator[Wish]:
        """A title may have nothing but words that its language leaves out, so a question for it has, too."""
        for word in dict.fromkeys(word for term in self.terms for word in term):
            keys = [key_of(config, f"={word}") for config in self.stems]
            yield Wish(word, self.rarity(keys), False, tuple((key, 1.0) for key in keys), frozenset())

    def wish(self, word: str) -> Wish | None:
        read = {config: stems[word] for config, stems in self.stems.items()}
        keys = [key_of(config, stem) for config, stem in read.items() if stem]
        if not keys:
            return None
        left_out = frozenset(LETTERS.get(config, "A") for config, stem in read.items() if not stem)
        is_filler = read.get(lexicon.CONFIG) in self.fillers
        weight = round(self.rarity(keys) * (FILLER if is_filler else 1), 4)
        is_known = any(self.spread(key) for key in keys)
        return Wish(word, weight, False, tuple((key, 1.0) for key in keys), left_out, is_filler, is_known)

    def pair(self, first: str, second: str) -> Wish | None:
        keys = [
            key_of(config, f"{stems[first]} {stems[second]}")
            for config, stems in self.stems.items()
            if stems[first] and stems[second]
        ]
        if not any(self.spread(key) for key in keys):
            return None
        weight = round(TOGETHER * self.rarity(keys), 4)
        return Wish(f"{first} {second}", weight, True, tuple((key, 1.0) for key in keys), frozenset())

    def rarity(self, keys: Iterable[str]) -> float:
        count, held = self.index.article_count, sum(map(self.spread, keys))
        # Rounded as a cursor carries it.
        return round(log(1 + (max(count - held, 0) + 0.5) / (held + 0.5)), 4)

    def spread(self, key: str) -> int:
        found = ((part.segment, part.segment.words.find(key)) for part in self.index.parts)
        return sum(int(segment.spread[word]) for segment, word in found if word is not None)

    def wider(self, wish: Wish) -> Wish:
        """With what means the same; a word that nobody wrote, with what it may have been meant to be."""
        if wish.is_pair:
            return wish
        english = LETTERS[lexicon.CONFIG]
        stems = [key[1:] for key, _ in wish.keys if key[0] == english]
        others = {
            english + other
            for stem in stems
            for other in self.same.get(stem, ())
            if self.spread(english + other)
        }
        keys = dict.fromkeys(sorted(others), SAME_MEANING)
        if not wish.is_known:
            keys |= dict.fromkeys(self.corrections(wish.word), TYPING_ERROR)
            if corrected := [key for key, factor in keys.items() if factor == TYPING_ERROR]:
                # As rare as what it was meant to be, not as what it is.
                wish = replace(wish, weight=min(wish.weight, self.rarity(corrected)))
        return replace(wish, keys=(*wish.keys, *keys.items()))

    def corrections(self, word: str) -> list[str]:
        found = {
            key: distance
            for forms, part in self.forms()
            for form, distance in near(word, forms)
            for key in (part.segment.words.raw(int(part.segment.form_word[form])).decode(),)
            if key[0] in {LETTERS.get(config, "A") for config in self.stems}
        }
        return sorted(found, key=lambda key: (found[key], -self.spread(key), key))[:MOST_CORRECTIONS]

    def beginning(self, wish: Wish) -> Wish:
        """The last word, which may still be in typing, with the words that it may become."""
        if wish.is_pair or (len(wish.word) < SHORTEST_BEGINNING and not SPACELESS_RUN.match(wish.word)):
            return wish
        known = {key for key, _ in wish.keys}
        found: set[str] = set()
        for forms, part in self.forms():
            for form in forms.beginning_with(wish.word):
                found.add(part.segment.words.raw(int(part.segment.form_word[form])).decode())
        best = sorted(found - known, key=lambda key: (-self.spread(key), key))[:MOST_BEGINNINGS]
        return replace(wish, keys=(*wish.keys, *((key, BEGINNING) for key in best)))

    def forms(self) -> Iterator[tuple[Names, Any]]:
        return ((part.segment.forms, part) for part in self.index.parts)


async def asking(ctx: Ctx, index: Index, question: str, locale: str | None) -> Asking:
    terms = [HUMP.sub(" ", term).lower().split() for term in read_question(question).terms]
    words = {word for term in terms for word in term}
    stems = {config: await stems_of(ctx.tx, config, words) for config in sorted(configs_of(index, locale))}
    return Asking(question, terms, index, stems, await stems_of(ctx.tx, lexicon.CONFIG, lexicon.WORDS))


def plan_all(asked: Asking) -> Plan:
    """What has every word, and what belongs together as it stands."""
    phrases = tuple(" ".join(term) for term in asked.terms if len(term) > 1)
    return Plan(asked.wishes, phrases, asked.title, True, asked.index.usual_lengths)


def plan_any(asked: Asking) -> Plan:
    """What has some of the words, while the last of them may be in typing still."""
    plan = plan_question(asked)
    words = [wish for wish in plan.wishes if not wish.is_pair]
    last = asked.terms[-1][-1] if asked.terms else None
    return replace(
        plan,
        wishes=tuple(
            asked.beginning(wish) if wish.word == last and wish is words[-1] else wish for wish in plan.wishes
        ),
    )


def plan_question(asked: Asking) -> Plan:
    """What answers a question, in whatever words."""
    return Plan(
        tuple(asked.wider(wish) for wish in asked.wishes), (), asked.title, False, asked.index.usual_lengths
    )


def configs_of(index: Index, locale: str | None) -> set[str]:
    def add(found: set[str], part: Any) -> set[str]:
        return found | {config for name, config in part.segment.languages if locale in (None, name)}

    return reduce(add, index.parts, set())
