"""XML for feeds and sitemaps: escaped and well-formed, whatever text is put into it."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from urllib.parse import quote
from xml.sax.saxutils import XMLGenerator
from xml.sax.xmlreader import AttributesImpl

# Characters that XML does not allow, not even escaped (XML 1.0, section 2.2).
FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class XmlDocument:
    """A document that is written element by element, so that a long one needs no tree in memory."""

    def __init__(self) -> None:
        self.out = BytesIO()
        self.generator = XMLGenerator(self.out, "utf-8", short_empty_elements=True)
        self.generator.startDocument()

    @contextmanager
    def element(self, name: str, attributes: Mapping[str, str] | None = None) -> Iterator[None]:
        self.generator.startElement(name, AttributesImpl(attributes or {}))
        yield
        self.generator.endElement(name)

    def add(self, name: str, text: str = "", attributes: Mapping[str, str] | None = None) -> None:
        with self.element(name, attributes):
            self.generator.characters(FORBIDDEN.sub("", text))

    def finish(self) -> bytes:
        self.generator.endDocument()
        return self.out.getvalue()


def as_uri(url: str) -> str:
    """A URL with percent-encoded non-ASCII letters."""
    return quote(url, safe=":/%?#[]@!$&'()*+,;=~")
