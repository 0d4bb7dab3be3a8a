"""Checks, without Node, that the committed files of browsers were built from the committed sources."""

import gzip
import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "frontend"
BUILT = ROOT / "instep" / "platform" / "web" / "static" / "dist"
MANIFEST = "manifest.json"
ENCODINGS = ("br", "gz")
# The build writes it.
LICENSES = "THIRD_PARTY_LICENSES"


def main() -> None:
    problems = list(find_problems(SOURCES, BUILT))
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        sys.exit('Run "make assets" and commit what it builds.')


def find_problems(sources: Path, built: Path) -> Iterator[str]:
    """One sentence for each difference between the sources, the manifest and the files."""
    if not (built / MANIFEST).exists():
        yield f"{MANIFEST} is missing."
        return
    manifest = json.loads((built / MANIFEST).read_text())
    if manifest["sources"] != sources_digest(sources):
        yield "The sources in frontend/ have changed since the files were built."
    expected_hashes = {MANIFEST: sha256((built / MANIFEST).read_bytes())}
    for entry in manifest["assets"].values():
        expected_hashes[entry["file"]] = entry["sha256"]
        expected_hashes |= {f"{entry['file']}.{name}": entry[name] for name in ENCODINGS if name in entry}
    yield from differing_files(built, expected_hashes)


def differing_files(built: Path, expected_hashes: dict[str, str]) -> Iterator[str]:
    contents = {file.name: file.read_bytes() for file in built.iterdir()}
    for name in sorted(contents.keys() | expected_hashes.keys()):
        if name not in contents:
            yield f"{name} is missing."
        elif expected_hashes.get(name) != sha256(contents[name]):
            yield f"{name} is not what was built."
        elif name.endswith(".gz") and gzip.decompress(contents[name]) != contents[name.removesuffix(".gz")]:
            yield f"{name} holds another file."


def sources_digest(folder: Path) -> str:
    """The digest that `frontend/build.mjs` writes into the manifest."""
    files = (file.relative_to(folder) for file in folder.rglob("*") if file.is_file())
    paths = sorted(
        file.as_posix() for file in files if "node_modules" not in file.parts and file.name != LICENSES
    )
    return sha256("".join(f"{path} {sha256((folder / path).read_bytes())}\n" for path in paths).encode())


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


if __name__ == "__main__":
    main()
