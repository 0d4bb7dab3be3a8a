"""Formats that somebody chooses, whatever the source looks like."""

import pytest

from instep.imports.formats import format_names, tree_of_files
from instep.imports.tree import UnreadableSource
from tests.imports.sources import MemoryFiles


@pytest.mark.parametrize("name", format_names())
def test_a_format_says_what_it_misses_in_a_source_of_another_kind(name: str) -> None:
    with pytest.raises(UnreadableSource):
        tree_of_files(MemoryFiles({"notes.txt": b"Text."}), name)
