"""Compares two versions of an original, and finds the blocks of its translation that the change touches."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from instep.drafting.writer.translating.text_blocks import TextBlock, split_blocks
from instep.platform.text.line_ends import LINE_END


@dataclass(frozen=True, slots=True)
class BlockChange:
    """Blocks of the original as they were and as they are, and their present translation, if it is known."""

    old: list[TextBlock]
    new: list[TextBlock]
    present: list[TextBlock]


class RootComparison:
    """Blocks of the original's old and new text, and of the translation of the old one."""

    def __init__(self, old: str, new: str, translation: str) -> None:
        self.old, self.new, self.translation = map(split_blocks, (old, new, translation))
        self._line_end = next(iter(LINE_END.findall(translation or new)), "\n")

    @property
    def is_aligned(self) -> bool:
        """True if each block of the old text has its translation at the same place."""
        return [block.shape for block in self.old] == [block.shape for block in self.translation]

    @cached_property
    def _opcodes(self) -> Sequence[tuple[str, int, int, int, int]]:
        old, new = ([(block.shape, block.body) for block in blocks] for blocks in (self.old, self.new))
        return SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes()

    def changes(self) -> Iterator[BlockChange]:
        """The changed blocks in text order."""
        for kind, start, end, new_start, new_end in self._opcodes:
            if kind != "equal":
                present = self.translation[start:end] if self.is_aligned else []
                yield BlockChange(self.old[start:end], self.new[new_start:new_end], present)

    def first_line(self) -> int:
        """The line of the translation, from 1, at which the first change belongs."""
        changed = [start for kind, start, *_ in self._opcodes if kind != "equal"]
        if not changed or not self.is_aligned:
            return 1
        before = self.translation[: changed[0]]
        return 1 + sum(len(LINE_END.findall(block.body + block.tail)) for block in before)

    def earlier(self) -> dict[int, tuple[TextBlock, TextBlock]]:
        """The old block and its translation for each new block that replaces a single one, by its index."""
        return {
            new_start + number: (self.old[start + number], self.translation[start + number])
            for kind, start, end, new_start, new_end in self._opcodes
            if kind == "replace" and end - start == new_end - new_start and self.is_aligned
            for number in range(end - start)
        }

    def pairs(self) -> Iterator[tuple[TextBlock, TextBlock]]:
        """The blocks of the old text, each with its translation; none if they are not aligned."""
        return zip(self.old, self.translation, strict=True) if self.is_aligned else zip()

    def with_markup(self, index: int, words: str) -> str:
        """The words with the markup of a new block, as the translation writes it: `*` for `-`."""
        markup = self.new[index].markup
        return {old.markup: present.markup for old, present in self.pairs()}.get(markup, markup) + words

    def new_indexes(self) -> list[int]:
        """The indexes of the new text's blocks that the old one does not have."""
        return [n for kind, _, _, start, end in self._opcodes if kind != "equal" for n in range(start, end)]

    def text_with(self, bodies: Mapping[int, str]) -> str:
        """The translation of the new text, with these blocks at the indexes of `new_indexes`.

        All other blocks come from the present translation. Blank lines change at the same positions as in the
        original.
        """
        parts = list[str]()
        for kind, start, _, new_start, new_end in self._opcodes:
            for number in range(new_start, new_end):
                tail = LINE_END.sub(self._line_end, self.new[number].tail)
                if kind != "equal":
                    parts += [LINE_END.sub(self._line_end, bodies[number]), tail]
                    continue
                index = start + number - new_start
                block = self.translation[index]
                is_same_tail = self.old[index].tail == self.new[number].tail
                parts += [block.body, block.tail if is_same_tail else tail]
        return "".join(parts)

    def has_shape_of_new(self, text: str) -> bool:
        """True if a text has the blocks of the original's new text, in its order."""
        return [block.shape for block in split_blocks(text)] == [block.shape for block in self.new]
