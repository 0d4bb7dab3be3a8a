"""Lets the processes of a machine share the memory of large indexes: of words, and of vectors."""

from instep.platform.core.settings import Settings
from instep.search.index import segment
from instep.search.index.cache import index_cache
from instep.search.index.shared_files import IndexFiles, index_folder
from instep.search.semantic import vector_segment
from instep.search.semantic.vector_cache import vector_cache


def share_indexes(settings: Settings) -> None:
    """Share large indexes with the other processes that have this data folder."""
    folder = index_folder(settings)
    index_cache.files = IndexFiles(folder, f"words-{segment.FORMAT}")
    vector_cache.files = IndexFiles(folder, f"vectors-{vector_segment.FORMAT}")
