"""The oldest version of a platform that a build file names, by what articles call the platform."""

import re
from collections.abc import Iterable, Iterator

from instep.text.file_kinds import LONG_LINE
from instep.writer.facts.changed_texts import SourceLine
from instep.writer.facts.set_members import ComparedFile
from instep.writer.facts.values import IMAGE, Value, shorter_versions

_VERSION = r"(\d+(?:\.\d+){0,2})"
# Each platform with the lines of build files that name its version; `{}` stands for the version.
_LINES = {
    "ios": r"IPHONEOS_DEPLOYMENT_TARGET\s*=\s*{}|platform\s+:ios,\s*['\"]{}|\.iOS\(\.v{}",
    "macos": r"MACOSX_DEPLOYMENT_TARGET\s*=\s*{}|platform\s+:(?:osx|macos),\s*['\"]{}|\.macOS\(\.v{}",
    "java": r"<(?:java\.version|maven\.compiler\.(?:release|source))>{}|JavaVersion\.VERSION_{}"
    r"|jvmToolchain\({}|JavaLanguageVersion\.of\({}|\bsourceCompatibility\s*=\s*['\"]?{}",
    "net": r"<TargetFrameworks?>net{}",
    "swift": r"swift-tools-version:\s*{}",
}
# What an image is built on.
_IMAGE = re.compile(r"^FROM\s+(?:\S+/)?(alpine|debian|fedora|ubuntu):" + _VERSION)
_PATTERNS = {name: re.compile(lines.replace("{}", _VERSION)) for name, lines in _LINES.items()}
_ANDROID = re.compile(r"\bmin_?[sS]dk(?:_?[vV]ersion)?\s*[=(:]?\s*(\d{2})\b")
# What each level of Android's interface is called; the first name is the usual one.
_ANDROID_VERSIONS = {
    "21": ("5.0", "5"), "22": ("5.1",), "23": ("6.0", "6"), "24": ("7.0", "7"), "25": ("7.1",),
    "26": ("8.0", "8"), "27": ("8.1",), "28": ("9", "9.0"), "29": ("10",), "30": ("11",), "31": ("12",),
    "33": ("13",), "34": ("14",), "35": ("15",), "36": ("16",),
}  # fmt: skip
_MIN_WEIGHT = 0.5


def find_platform_versions(compared: Iterable[ComparedFile]) -> Iterator[Value]:
    """The changed versions of platforms, in the ways in which articles write them."""
    for file, pairs in compared:
        if file.weight < _MIN_WEIGHT:
            continue
        for pair in pairs:
            if max(len(pair.old.text), len(pair.new.text)) <= LONG_LINE:
                source = SourceLine(file.patch.path, pair.new.new, pair.new.text, file.weight)
                yield from _versions(pair.old.text, pair.new.text, source)


def _versions(old: str, new: str, source: SourceLine) -> Iterator[Value]:
    for platform, pattern in _PATTERNS.items():
        before, after = _version_in(pattern, old), _version_in(pattern, new)
        if before and after and before != after:
            for spelled in shorter_versions(before, after):
                yield Value(*spelled, (platform,), (source,), is_major_version=True)
    base, new_base = _IMAGE.match(old), _IMAGE.match(new)
    if base and new_base and base[1] == new_base[1] and base[2] != new_base[2]:
        for spelled in shorter_versions(base[2], new_base[2]):
            yield Value(*spelled, (base[1],), (source,), is_major_version=True, owner=IMAGE)
    yield from _versions_of_android(old, new, source)


def _versions_of_android(old: str, new: str, source: SourceLine) -> Iterator[Value]:
    """The level of the interface, and the version of the system that has it."""
    level, new_level = _version_in(_ANDROID, old), _version_in(_ANDROID, new)
    if level and new_level and level != new_level:
        yield Value(level, new_level, ("api-level",), (source,), is_major_version=True)
        for name in _ANDROID_VERSIONS.get(level, ()):
            for new_name in _ANDROID_VERSIONS.get(new_level, ())[:1]:
                yield Value(name, new_name, ("android",), (source,), is_major_version=True)


def _version_in(pattern: re.Pattern[str], line: str) -> str | None:
    match = pattern.search(line)
    return next(filter(None, match.groups()), None) if match else None
