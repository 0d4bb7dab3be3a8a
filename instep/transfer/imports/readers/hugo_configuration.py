"""The configuration of a Hugo site: one file at the root or in `config/_default`, in TOML, YAML or JSON."""

import re

from instep.transfer.imports.markdown.fields import Fields, read_json, read_toml_fields, read_yaml_fields
from instep.transfer.imports.tree.schemas import SourceFiles, UnreadableSource, without_file

_PATH = re.compile(r"(?:config/_default/)?(?:hugo|config)\.(toml|ya?ml|json)")


def is_configuration(path: str) -> bool:
    return _PATH.fullmatch(path) is not None


def read_configuration(files: SourceFiles) -> Fields:
    path = next((path for path in files.paths() if is_configuration(path)), None)
    if path is None:
        raise without_file("hugo.toml")
    text = files.read(path).decode("utf-8-sig", errors="replace")
    try:
        return _read(path, text)
    except ValueError as error:
        raise UnreadableSource(f"{path} is not valid: {error}. Correct it and import again.") from None


def _read(path: str, text: str) -> Fields:
    if path.endswith(".toml"):
        return read_toml_fields(text)
    if path.endswith(".json"):
        value = read_json(text)
        return Fields(value if isinstance(value, dict) else {})
    return read_yaml_fields(text)
