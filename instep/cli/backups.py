"""`instep backup` and `instep restore`."""

from pathlib import Path
from typing import Annotated

import typer

from instep.cli.admin_session import installed_postgres
from instep.cli.options import AsJson
from instep.cli.output import as_lines, say

File = Annotated[Path, typer.Argument(metavar="FILE", help="The backup.", dir_okay=False)]


def backup(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file to create; an existing file is not overwritten.")
    ],
    as_json: AsJson = False,
) -> None:
    """Back up everything except the secret key to a file, even while servers run."""
    from instep.content.files.storage import open_bucket
    from instep.operations.backups.restoring import BackupContents, manifest_facts
    from instep.operations.backups.snapshot import make_backup
    from instep.platform.core.config import settings
    from instep.platform.core.progress import tell

    bucket_url = settings().files
    with installed_postgres() as postgres:
        bucket = open_bucket(bucket_url) if bucket_url else None
        manifest = make_backup(postgres.url, bucket, file, tell)
    contents = BackupContents(**manifest_facts(manifest))
    lines = [
        f"{file} has {contents.rows:,} rows from {contents.tables} tables in {file.stat().st_size:,} bytes."
    ]
    if contents.files:
        lines.append(f"Files from the bucket: {contents.files:,}.")
    if contents.missing_files:
        lines.append(f"Missing files, which the storage no longer has: {contents.missing_files:,}.")
    lines.append(
        "Store the secret key somewhere else: the backup does not contain it, and restoring needs it."
    )
    say(contents, "\n".join(lines), as_json)


def restore(
    file: File,
    check: Annotated[bool, typer.Option("--check", help="Check the file and change nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Restore a backup into an empty installation."""
    from instep.operations.backups.restoring import check_backup, describe_restored, restore_backup
    from instep.platform.core.config import settings
    from instep.platform.core.progress import tell

    if check:
        contents = check_backup(file)
        say(contents, as_lines(contents), as_json)
        return
    restored = restore_backup(settings(), file, tell)
    say(restored, describe_restored(restored), as_json)
