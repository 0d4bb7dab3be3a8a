"""The formats that can be imported, in the order of detection."""

from instep.transfer.imports.readers import (
    bookstack,
    confluence,
    discourse,
    docmost,
    docusaurus,
    freshdesk,
    fumadocs,
    gitbook,
    help_scout,
    hugo,
    instep_export,
    intercom,
    jekyll,
    mintlify,
    mkdocs,
    nextra,
    notion,
    openapi,
    outline_export,
    plain,
    readme_com,
    starlight,
    vitepress,
    wiki,
    wikijs,
    wordpress,
    zendesk,
    zendesk_markdown,
)
from instep.transfer.imports.source.api_operations import with_operations
from instep.transfer.imports.source.blank_pages import without_blank_pages
from instep.transfer.imports.source.collection_files import with_collection_files
from instep.transfer.imports.tree.schemas import Reader, SourceFiles, Tree, UnreadableSource
from instep.transfer.imports.tree.shared_texts import share_texts

# A GitBook may also have settings of these.
_GENERATORS = (mkdocs.READER, vitepress.READER, starlight.READER, hugo.READER)
# The first one that recognizes a source reads it, so the least specific ones come last.
READERS: tuple[Reader, ...] = (
    instep_export.READER,
    docmost.READER,
    bookstack.READER,
    outline_export.READER,
    wikijs.READER,
    discourse.READER,
    mintlify.READER,
    docusaurus.READER,
    *_GENERATORS,
    gitbook.READER,
    jekyll.READER,
    nextra.READER,
    fumadocs.READER,
    readme_com.READER,
    zendesk.READER,
    intercom.READER,
    help_scout.READER,
    freshdesk.READER,
    notion.READER,
    confluence.READER,
    wordpress.READER,
    zendesk_markdown.READER,
    wiki.READER,
    plain.READER,
    openapi.READER,
)


def find_reader(files: SourceFiles, name: str | None) -> Reader:
    """The reader with this name, or the first that recognizes the files; raises `UnreadableSource`."""
    if name is not None:
        reader = next((reader for reader in READERS if reader.name == name), None)
        if reader is None:
            raise UnreadableSource(f"There is no format “{name}”: choose one of {', '.join(format_names())}.")
        return reader
    reader = next((reader for reader in READERS if reader.recognises(files)), None)
    if reader is None:
        raise UnreadableSource(
            "The source contains nothing that can be imported as articles, such as Markdown files."
        )
    return gitbook.READER if reader in _GENERATORS and gitbook.is_declared(files) else reader


def format_names() -> list[str]:
    return sorted(reader.name for reader in READERS)


def tree_of_files(files: SourceFiles, name: str | None) -> Tree:
    """The tree of a source; raises `UnreadableSource`, also for a source without pages."""
    reader = find_reader(files, name)
    tree = with_collection_files(share_texts(reader.read(files)), files)
    if not tree.pages and not tree.entries:
        raise UnreadableSource(
            f"The source looks like {reader.title}, but contains no articles: name the folder that "
            "contains them."
        )
    return without_blank_pages(with_operations(tree, files), files)
