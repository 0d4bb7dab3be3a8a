"""Decodes the names of entries in a ZIP archive, which often state no encoding."""

import zipfile

from instep.platform.text.encodings import Decoded, decode_unicode, guess_text
from instep.transfer.imports.tree.schemas import Losses

UTF8 = 0x800
# The encoding that Python's library assumes for names without a flag (APPNOTE 4.4.4, D.1).
UNFLAGGED = "cp437"
MAX_LOCATION_CHARACTERS = 80


def stored_names(archive: zipfile.ZipFile, name: str, losses: Losses) -> dict[zipfile.ZipInfo, str]:
    """The entries with their names; entries with unreadable names are left out and reported.

    A name without the UTF-8 flag is read as UTF-8 if it is valid. All other names are read in the one older
    encoding that fits, if there is one.
    """
    # `filename` ends at a NUL character.
    names = {info: info.orig_filename for info in archive.infolist()}
    raw_names = dict[zipfile.ZipInfo, bytes]()
    for info, path in names.items():
        raw_name = b"" if info.flag_bits & UTF8 else path.encode(UNFLAGGED)
        utf8_name = decode_unicode(raw_name)
        if utf8_name is None:
            raw_names[info] = raw_name.replace(b"\n", b" ")
        else:
            names[info] = utf8_name or path
    guessed = dict(zip(raw_names, guessed_names(list(raw_names.values())), strict=True))
    for info, decoded in guessed.items():
        if decoded is None:
            losses.add(readable_name(names.pop(info)), "file name in an unknown encoding: rename the file")
        else:
            names[info] = decoded.text
    examples = {decoded.guess: decoded.text for decoded in guessed.values() if decoded is not None}
    for guess, example in examples.items():
        losses.add(
            name, f"file names in an older encoding: read as {guess}, such as “{readable_name(example)}”"
        )
    return names


def guessed_names(raw_names: list[bytes]) -> list[Decoded | None]:
    """The names in the encoding that fits all of them, or else each in the encoding that fits it."""
    together = guess_text(b"\n".join(raw_names))
    if together is None:
        return [guess_text(raw_name) for raw_name in raw_names]
    paths = together.text.split("\n")
    return [Decoded(path, together.guess) for _, path in zip(raw_names, paths, strict=False)]


def readable_name(name: str) -> str:
    """An untrusted name, made safe to quote in a sentence."""
    printable = "".join(sign if sign.isprintable() else "�" for sign in name)
    return (
        printable if len(printable) <= MAX_LOCATION_CHARACTERS else f"…{printable[-MAX_LOCATION_CHARACTERS:]}"
    )
