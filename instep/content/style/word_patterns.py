"""Expands regular expressions that match only a few words: `(?:e-|E-)?mails?`."""

from instep.platform.core import limits

# Characters without a fixed expansion: repetitions, anchors, and any character.
OPEN_ENDED = frozenset(".*+{}^$")
ESCAPES = {"s": " ", "b": ""}


class OpenPattern(ValueError):
    """The expression matches more words than can be listed."""


def expand_pattern(pattern: str) -> list[str]:
    """All words that an expression matches; raises `OpenPattern`."""
    reader = PatternReader(pattern)
    words = reader.alternatives()
    if reader.rest:
        raise OpenPattern
    return list(dict.fromkeys(" ".join(word.split()) for word in words if word.strip()))


class PatternReader:
    """Reads an expression from its beginning; `rest` is what follows."""

    def __init__(self, pattern: str) -> None:
        self.rest = pattern

    def take(self, prefix: str) -> bool:
        is_next = self.rest.startswith(prefix)
        self.rest = self.rest.removeprefix(prefix)
        return is_next

    def next(self) -> str:
        if not self.rest:
            raise OpenPattern
        character, self.rest = self.rest[0], self.rest[1:]
        return character

    def alternatives(self) -> list[str]:
        words = self.sequence()
        while self.take("|"):
            words += self.sequence()
        return words

    def sequence(self) -> list[str]:
        words = [""]
        while self.rest and self.rest[0] not in "|)":
            pieces = self.piece()
            if self.take("?"):
                pieces = [*pieces, ""]
            words = [word + piece for word in words for piece in pieces]
            if len(words) > limits.MAX_TERM_VARIANTS:
                raise OpenPattern
        return words

    def piece(self) -> list[str]:
        character = self.next()
        if character == "(":
            return self.group()
        if character == "[":
            return self.character_class()
        if character in OPEN_ENDED or character == "?":
            raise OpenPattern
        return [self.escaped() if character == "\\" else character]

    def group(self) -> list[str]:
        if self.take("?") and not self.take(":"):
            raise OpenPattern
        words = self.alternatives()
        if not self.take(")"):
            raise OpenPattern
        return words

    def character_class(self) -> list[str]:
        characters: list[str] = []
        while not self.take("]"):
            character = self.next()
            is_range = character == "-" and characters and not self.rest.startswith("]")
            if character in "^[" or is_range:
                raise OpenPattern
            characters.append(self.escaped() if character == "\\" else character)
        return characters

    def escaped(self) -> str:
        character = self.next()
        if character.isalnum() and character not in ESCAPES:
            raise OpenPattern
        return ESCAPES.get(character, character)
