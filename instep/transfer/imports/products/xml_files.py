"""Parses XML without entities, document types and external references."""

import re
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers.expat import ExpatError, ParserCreate
from xml.parsers.expat.errors import messages

from instep.platform.text.encodings import decode_unicode
from instep.transfer.imports.tree.schemas import Losses, UnreadableSource

# Characters that XML 1.0 excludes (section 2.2), and references to them.
_NO_XML = re.compile(
    rb"[\x00-\x08\x0b\x0c\x0e-\x1f]"
    rb"|&#(?:0*(?:[0-8]|1[124-9]|2[0-9]|3[01])|[xX]0*(?:[0-8bBcCeEfF]|1[0-9a-fA-F]));"
)
_OTHER_ENCODING = re.compile(rb"\s*<\?xml\b[^>]*\bencoding\s*=\s*[\"'](?!utf-?8[\"'])", re.IGNORECASE)


class _DocumentType(Exception):
    """The file declares a document type, which could define entities."""


def read_xml(path: str, content: bytes, losses: Losses) -> Element:
    """The root element; names have their namespace before a space. Raises `UnreadableSource`.

    Characters that XML doesn't allow, which plugins write into exports, are left out and reported.
    """
    is_unicode = not _OTHER_ENCODING.match(content)
    text = decode_unicode(content) if is_unicode else None
    if text is None and is_unicode:
        text = content.decode(errors="replace")
        losses.add(path, "text that is not UTF-8")
    content, count = _NO_XML.subn(b"", content if text is None else text.encode())
    if count:
        losses.add(path, f"{count:,} control characters that XML doesn't allow")
    builder = TreeBuilder()
    parser = ParserCreate(None if text is None else "utf-8", " ")
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
            f"{messages[error.code]}): export it again, or fix that line."
        ) from None
    except LookupError as error:
        raise UnreadableSource(f"{path} can't be read: {error}. Save it as UTF-8 and import again.") from None
    except _DocumentType:
        raise UnreadableSource(
            f"{path} declares a document type, unlike any WordPress export: remove its <!DOCTYPE>."
        ) from None
    return builder.close()


def _refuse_document_type(*_: object) -> None:
    raise _DocumentType
