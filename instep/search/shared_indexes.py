"""Lets the processes of a machine share the memory of large word and vector indexes."""

from instep.platform.core.settings import Settings
from instep.search.index import segment
from instep.search.index.cache import index_cache
from instep.search.index.shared_files import IndexFiles, index_folder
from instep.search.semantic import vector_segment
from instep.search.semantic.vector_cache import vector_cache


def share_indexes(settings: Settings) -> None:
    """Share large indexes with other processes that use this data folder."""
    folder = index_folder(settings)
    index_cache.files = IndexFiles(folder, f"words-{segment.FORMAT}")
    vector_cache.files = IndexFiles(folder, f"vectors-{vector_segment.FORMAT}")
