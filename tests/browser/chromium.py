"""Real Chromium, without a window: what a page holds once loaded, what it complained about, how it looks."""

import shutil
import struct
import subprocess
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--hide-scrollbars", "--enable-logging=stderr"),
]
SCHEMES = {"dark": "0", "light": "1"}
UP = 2
Colour = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Picture:
    """The colours of a screenshot, row by row."""

    rows: list[list[Colour]]

    @property
    def colours(self) -> set[Colour]:
        return {colour for row in self.rows for colour in row}


class Chromium:
    """One browser a call, each with a new and empty profile."""

    def __init__(self, folder: Path) -> None:
        program = shutil.which("chromium")
        if program is None:
            pytest.fail("The browser tests need Chromium: on Debian run `apt-get install chromium`.")
        self.program = program
        self.folder = folder
        self.log = ""

    def document(self, url: str) -> str:
        """The page's HTML as the browser has understood it."""
        return self.run("--dump-dom", url)

    def picture(self, url: str, scheme: str = "light", width: int = 800, height: int = 600) -> Picture:
        file = self.folder / f"{scheme}-{width}.png"
        look = f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}"
        self.run(f"--screenshot={file}", f"--window-size={width},{height}", look, url)
        return Picture(decode(file.read_bytes()))

    def run(self, *arguments: str) -> str:
        profile = self.folder / "profile"
        shutil.rmtree(profile, ignore_errors=True)
        command = [self.program, *FLAGS, f"--user-data-dir={profile}", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        self.log += done.stderr
        return done.stdout

    @property
    def complaints(self) -> list[str]:
        """What pages wrote to the console, such as violations of their security policy."""
        return [line for line in self.log.splitlines() if ":CONSOLE" in line]


def decode(png: bytes) -> list[list[Colour]]:
    """The pixels of an 8-bit PNG without interlacing (RFC 2083)."""
    width, height, depth, kind, _, _, interlaced = struct.unpack(">IIBBBBB", png[16:29])
    assert (depth, kind in (2, 6), interlaced) == (8, True, 0)
    channels = 4 if kind == 6 else 3
    data = zlib.decompress(b"".join(chunks(png)))
    stride = width * channels
    above = bytearray(stride)
    rows = []
    for number in range(height):
        start = number * (stride + 1)
        row = bytearray(data[start + 1 : start + 1 + stride])
        unfilter(row, above, data[start], channels)
        rows.append(list(zip(row[0::channels], row[1::channels], row[2::channels], strict=True)))
        above = row
    return rows


def chunks(png: bytes) -> list[bytes]:
    chunks, place = [], 8
    while place < len(png):
        (length,) = struct.unpack(">I", png[place : place + 4])
        if png[place + 4 : place + 8] == b"IDAT":
            chunks.append(png[place + 8 : place + 8 + length])
        place += length + 12
    return chunks


def unfilter(row: bytearray, above: bytearray, kind: int, step: int) -> None:
    if kind == UP:
        # Nearly all rows, at once.
        row[:] = (np.frombuffer(row, np.uint8) + np.frombuffer(above, np.uint8)).tobytes()
        return
    for x in range(len(row) if kind else 0):
        left = row[x - step] if x >= step else 0
        corner = above[x - step] if x >= step else 0
        row[x] = (row[x] + predicted(kind, left, above[x], corner)) & 255


def predicted(kind: int, left: int, up: int, corner: int) -> int:
    if kind == 4:
        guess = left + up - corner
        return min((left, up, corner), key=lambda value: abs(guess - value))
    return (0, left, 0, (left + up) // 2)[kind]
