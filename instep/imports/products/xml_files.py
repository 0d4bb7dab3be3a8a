"""XML without entities, document types and anything outside of the file."""

from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers.expat import ExpatError, ParserCreate
from xml.parsers.expat.errors import messages

from instep.imports.tree import UnreadableSource


class _DocumentType(Exception):
    """The file declares a document type, with which it could define entities."""


def read_xml(path: str, content: bytes) -> Element:
    """The root element; names have their namespace before a space. Raises `UnreadableSource`."""
    builder = TreeBuilder()
    parser = ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = _refuse_document_type
    try:
        parser.Parse(content, True)
    except ExpatError as error:
        raise UnreadableSource(
            f"{path} is not well-formed XML (line {error.lineno}, column {error.offset + 1}: "
            f"{messages[error.code]}): export it again, or correct that line."
        ) from None
    except LookupError as error:
        raise UnreadableSource(f"{path} can't be read: {error}. Save it as UTF-8 and import again.") from None
    except _DocumentType:
        raise UnreadableSource(
            f"{path} declares a document type, which no export of WordPress has: take out its <!DOCTYPE>."
        ) from None
    return builder.close()


def _refuse_document_type(*_: object) -> None:
    raise _DocumentType
