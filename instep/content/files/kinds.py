"""The kinds of files that can be stored, and their signatures."""

from dataclasses import dataclass

from instep.platform.core.errors import AppError


class UnsupportedType(AppError):
    """This can't be stored: send an intact PNG, JPEG, GIF, WebP or AVIF picture, or a PDF, ZIP, CSV, TXT,
    JSON, MP4 or WebM file."""

    code = "unsupported_type"


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file: its extension in URLs, its media type, and whether it is an image."""

    extension: str
    content_type: str
    is_picture: bool = False

    @property
    def served_type(self) -> str:
        """The value of `Content-Type`; texts are UTF-8."""
        return (
            f"{self.content_type}; charset=utf-8" if self.extension in ("csv", "txt") else self.content_type
        )


PNG = FileKind("png", "image/png", is_picture=True)
JPEG = FileKind("jpg", "image/jpeg", is_picture=True)
GIF = FileKind("gif", "image/gif", is_picture=True)
WEBP = FileKind("webp", "image/webp", is_picture=True)
AVIF = FileKind("avif", "image/avif", is_picture=True)
# Only logos, as cleaned by `files.svg`: uploads for texts never become one.
SVG = FileKind("svg", "image/svg+xml", is_picture=True)
PDF = FileKind("pdf", "application/pdf")
ZIP = FileKind("zip", "application/zip")
CSV = FileKind("csv", "text/csv")
TXT = FileKind("txt", "text/plain")
JSON = FileKind("json", "application/json")
MP4 = FileKind("mp4", "video/mp4")
WEBM = FileKind("webm", "video/webm")
KINDS = (PNG, JPEG, GIF, WEBP, AVIF, SVG, PDF, ZIP, CSV, TXT, JSON, MP4, WEBM)
BY_CONTENT_TYPE = {kind.content_type: kind for kind in KINDS}
BY_EXTENSION = {kind.extension: kind for kind in KINDS}
# The text kinds, which have no signature: the name decides between them.
TEXTS = (CSV, JSON, TXT)

SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", PNG),
    (b"\xff\xd8\xff", JPEG),
    (b"GIF87a", GIF),
    (b"GIF89a", GIF),
    (b"%PDF-1.", PDF),
    (b"%PDF-2.", PDF),
    (b"PK\x03\x04", ZIP),
    (b"PK\x05\x06", ZIP),
)
AVIF_BRANDS = {b"avif", b"avis"}
MP4_BRANDS = {
    *(b"isom", b"iso2", b"iso3", b"iso4", b"iso5", b"iso6", b"iso7", b"iso8", b"iso9"),
    *(b"mp41", b"mp42", b"avc1", b"av01", b"dash", b"M4V ", b"MSNV"),
}
# The header of EBML (RFC 8794), and its element `DocType` with its length.
EBML = b"\x1a\x45\xdf\xa3"
WEBM_DOCUMENT = b"\x42\x82\x84webm"
EBML_HEADER_BYTES = 64


def kind_of_bytes(data: bytes) -> FileKind | None:
    """The kind with this signature; None for texts and everything else."""
    for signature, kind in SIGNATURES:
        if data.startswith(signature):
            return kind
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return WEBP
    if data[4:8] == b"ftyp":
        return kind_of_brand(data[8:12])
    is_webm = data.startswith(EBML) and WEBM_DOCUMENT in data[:EBML_HEADER_BYTES]
    return WEBM if is_webm else None


def kind_of_brand(brand: bytes) -> FileKind | None:
    """The kind of an ISO base media file by its major brand (ISO/IEC 14496-12, section 4.3)."""
    if brand in AVIF_BRANDS:
        return AVIF
    return MP4 if brand in MP4_BRANDS else None
