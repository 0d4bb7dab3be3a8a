"""The next version of a product, as the files of its repository state it."""

import re
from collections.abc import Collection, Iterator, Mapping

# Files in the root of a repository that may state a version, the most explicit first.
VERSION_FILES = (
    *("CHANGELOG.md", "CHANGES.md", "CHANGELOG.rst", "CHANGES.rst", "package.json", "pyproject.toml"),
    *("Cargo.toml", "VERSION", "version.txt", "gradle.properties", "composer.json", "mix.exs", "setup.cfg"),
)
MAX_LINES = 200
NUMBER = r"v?(\d{1,6}(?:\.\d{1,6}){1,3})"
# A suffix of versions that are not released, such as `-SNAPSHOT`, `.dev0` or `-rc.1`.
SUFFIX = r"([-+.]?(?:dev|snapshot|alpha|beta|rc|pre|preview|next|canary|nightly|[ab]\d)[\w.-]{0,30})?"
STATED = re.compile(
    rf"\s*\"?(?:version\"?\s{{0,9}}[:=]\s{{0,9}}[\"']?)?{NUMBER}{SUFFIX}[\"']?,?\s*", re.IGNORECASE
)
HEADING = re.compile(
    rf"(?:#{{1,6}}\s+|=+\s+)?[\[*]{{0,2}}(?:version\s+)?{NUMBER}((?:\s*[^\w\s.].{{0,80}})?)\Z", re.IGNORECASE
)
UNRELEASED = re.compile(
    r"unreleased|not (?:yet )?released|in (?:development|progress)|upcoming|tba|tbd", re.IGNORECASE
)
IN_TAG = re.compile(rf"(?<!\d)(?<!\d\.){NUMBER}\Z")


def next_version(files: Mapping[str, str], tags: Collection[str]) -> str | None:
    """The version that will contain the new changes, such as `2.4.0`; None if no file states it.

    `tags` are the tags of releases. A version without a tag is the next one if it is higher than all tags;
    without any tags, only if the file says that it is not released.
    """
    released = max((key_of(match[1]) for tag in tags if (match := IN_TAG.search(tag))), default=(0,))
    for name in VERSION_FILES:
        for version, is_unreleased in stated_versions(name, files.get(name, "")):
            if (is_unreleased or released > (0,)) and key_of(version) > released:
                return version
    return None


def stated_versions(name: str, text: str) -> Iterator[tuple[str, bool]]:
    """The version that a file states first, and whether it says that this one is not released."""
    is_changelog = name.startswith("CHANGE")
    for line in text.split("\n", MAX_LINES)[:MAX_LINES]:
        match = HEADING.match(line) if is_changelog else STATED.fullmatch(line)
        if match:
            yield match[1], bool(UNRELEASED.search(match[2]) if is_changelog else match[2])
            return


def key_of(version: str) -> tuple[int, ...]:
    """A key by which `2.4` and `2.4.0` are the same."""
    numbers = [int(number) for number in version.split(".")]
    while len(numbers) > 1 and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)
