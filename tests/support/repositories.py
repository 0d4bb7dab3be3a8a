"""Git repositories as a CI sees them, created with the real git in the test's folder."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

Contents = str | bytes | None

BEFORE = "class Settings:\n    max_upload_mb: int = 10\n    name: str = 'acme'\n"
AFTER = BEFORE.replace("10", "25")
ARTICLE = "The setting `max_upload_mb` is 10 by default.\n"
TITLE = "Raise the upload limit"


@dataclass(frozen=True, slots=True)
class Repository:
    folder: Path

    def git(self, *arguments: str) -> str:
        # Otherwise every commit would start a process for git's maintenance.
        command = ["git", "-c", "maintenance.auto=false", *arguments]
        process = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        assert process.returncode == 0, process.stderr
        return process.stdout.strip()

    def commit(self, message: str, files: dict[str, Contents]) -> str:
        """Write files, delete those that are None, and commit everything."""
        for name, contents in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if contents is None:
                path.unlink()
            else:
                path.write_bytes(contents.encode() if isinstance(contents, str) else contents)
        self.git("add", "--all", "--force")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")

    def clone(self, folder: Path, *options: str) -> "Repository":
        """Clone through a URL, because git ignores the depth when it clones from a plain path."""
        self.git("clone", "--quiet", *options, self.folder.as_uri(), str(folder))
        return Repository(folder)


def new_repository(folder: Path) -> Repository:
    folder.mkdir()
    repository = Repository(folder)
    repository.git("init", "--quiet", "--initial-branch=main", "--template=")
    return repository


def with_feature(folder: Path) -> Repository:
    """A branch with one commit, and one more commit on `main`."""
    repository = new_repository(folder)
    repository.commit("Begin", {"app/config.py": BEFORE})
    repository.git("checkout", "--quiet", "-b", "feature")
    repository.commit(f"{TITLE}\n\nPictures are larger now.", {"app/config.py": AFTER})
    repository.git("checkout", "--quiet", "main")
    repository.commit("Meanwhile", {"app/other.py": "PORT = 1\n"})
    repository.git("checkout", "--quiet", "feature")
    return repository
