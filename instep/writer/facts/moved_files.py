"""Files and folders of a repository that a change moves, which articles name by their paths."""

from collections import defaultdict
from itertools import islice

from instep.core.name_matching import is_distinct
from instep.text.file_kinds import WEIGHTS, kind_of
from instep.text.patch import Diff, FilePatch
from instep.writer.diffs.documentation import is_documentation
from instep.writer.facts.changed_texts import SourceLine
from instep.writer.facts.line_alignment import shared_length
from instep.writer.facts.renames import Rename

# Folders that readers' own projects have, too.
_USUAL_FOLDER_NAMES = "app bin config db lib packages pages public resources spec src static test tests"
_USUAL_FOLDERS = frozenset(_USUAL_FOLDER_NAMES.split())
_MIN_FILES = 2
_MAX_MOVES = 200


def find_moved_files(diff: Diff) -> list[Rename]:
    """The paths of files that move, and of folders of which the change moves each file that it shows."""
    moved = [file for file in diff.files if _is_moved(file)]
    sources_by_folder: dict[tuple[str, str], list[SourceLine]] = defaultdict(list)
    for file in moved:
        sources_by_folder[_folders(file.old_path, file.new_path)].append(_source(file))
    paths = {file.new_path for file in diff.files if file.status != "deleted"}
    files = (
        Rename(file.old_path, file.new_path, (_source(file),), None)
        for file in moved
        if _is_own_path(file.old_path)
    )
    folders = (
        Rename(*spelled, tuple(sources), None)
        for (old, new), sources in sources_by_folder.items()
        if len(sources) >= _MIN_FILES
        and not any(path.startswith(f"{old}/") for path in paths)
        and (spelled := _spelled(old, new))
    )
    return [*islice(files, _MAX_MOVES), *folders]


def _is_moved(file: FilePatch) -> bool:
    is_renamed = file.status == "renamed" and file.old_path != file.new_path
    return is_renamed and not is_documentation(file.new_path)


def _source(file: FilePatch) -> SourceLine:
    text = f"rename from {file.old_path} to {file.new_path}"
    return SourceLine(file.new_path, 1, text, WEIGHTS.get(kind_of(file), WEIGHTS["code"]))


def _folders(old: str, new: str) -> tuple[str, str]:
    """The folders that differ, with as little of what both paths end with as makes nothing else meant."""
    before, after = old.split("/"), new.split("/")
    shared = max(1, shared_length(before[::-1], after[::-1]))
    pairs = [("/".join(before[:-count]), "/".join(after[:-count])) for count in range(shared, 0, -1)]
    return next((pair for pair in pairs if _spelled(*pair)), pairs[0])


def _is_own_path(path: str) -> bool:
    """Whether a path can hardly be one of another repository."""
    folders = path.split("/")[:-1]
    return len(folders) > 1 or (len(folders) == 1 and folders[0] not in _USUAL_FOLDERS)


def _spelled(old: str, new: str) -> tuple[str, str] | None:
    """How articles name a folder so that nothing else is meant: by its path, or with the slash after it."""
    if not old or not new:
        return None
    if "/" in old:
        return (old, new) if _is_own_path(f"{old}/") else None
    return (f"{old}/", f"{new}/") if is_distinct(old) else None
