"""The command `instep demo`."""

import asyncio
import os
import shutil
import socket
import sys
import tempfile
from pathlib import Path
from shlex import quote

import uvicorn

from instep.core.config import settings
from instep.core.postgres import running_postgres
from instep.core.signals import end_well_when_asked
from instep.demo.story import CHANGE, NEW_NAME, Review, Stage, set_stage
from instep.migrations import migrate
from instep.web.protocol import SERVER

PRETTY = "| python3 -m json.tool"


def run_demo(port: int | None) -> None:
    """Serve the demo on a data folder of its own, which goes with it."""
    end_well_when_asked()
    with tempfile.TemporaryDirectory(prefix="instep-demo-") as folder:
        Path(folder).chmod(0o711)
        serve_from(Path(folder), port or free_port())


def serve_from(folder: Path, port: int) -> None:
    os.environ.pop("INSTEP_DATABASE_URL", None)
    os.environ |= {"INSTEP_DATA_DIR": str(folder), "INSTEP_SITE_URL": f"http://127.0.0.1:{port}"}
    with running_postgres(settings()) as postgres:
        migrate(postgres.url)
        stage = asyncio.run(set_stage(postgres.url))
        server = Announcing(
            stage,
            uvicorn.Config("instep.app:create_app", port=port, log_level="warning", **SERVER),
        )
        server.run()


class Announcing(uvicorn.Server):
    """A server that says what to do once it answers."""

    def __init__(self, stage: Stage, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.stage = stage

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        sys.stdout.write(announcement(self.stage))
        sys.stdout.flush()


def announcement(stage: Stage) -> str:
    site, key = settings().base_url, f"-H 'Authorization: Bearer {stage.key}'"
    return "\n".join(
        [
            "",
            f"Instep serves its own help center, {stage.articles} articles. Ctrl-C ends it and its data.",
            "",
            f"  help center      {site}/help/{stage.bot.slug}/",
            f"  management API   {site}/v1  (described at {site}/v1/openapi.json)",
            f"  sign-in          {site}/sign-in  with {stage.email} and {stage.password}",
            f"  API key          {stage.key}",
            f"  bot id           {stage.bot.id}",
            f"  bot key          {stage.bot.bot_key}",
            "",
            f"A change of Instep's code came in as a task: “{CHANGE.title}”.",
            f"It makes {len(stage.reviews)} of the articles wrong; the edits wait for your review.",
            "Paste these lines one after the other:",
            "",
            f"export INSTEP_URL={site} INSTEP_API_KEY={stage.key}",
            "# The review queue",
            f"{own_command()} draft list",
            *(line for review in stage.reviews for line in review_lines(review)),
            "# The API has all of it: the queue, and a draft with its diff and evidence",
            f"curl -s {site}/v1/drafts {key} {PRETTY}",
            *(f"curl -s {site}/v1/drafts/{review.draft.id} {key} {PRETTY}" for review in stage.reviews[:1]),
            "",
        ]
    )


def review_lines(review: Review) -> list[str]:
    draft = f"{own_command()} draft"
    return [
        f"# “{review.draft.article_title}”: the diff, and the lines of the code change behind it",
        f"{draft} show {review.draft.id}",
        "# Apply it: the public page has the new text at once",
        f"{draft} apply {review.draft.id}",
        f"curl -s {review.url} | grep {NEW_NAME}",
    ]


def own_command() -> str:
    """How a shell calls the program that runs: by its name, or by its path where the name means another."""
    path = Path(sys.executable).with_name("instep")
    named = shutil.which("instep")
    return "instep" if named is not None and Path(named).resolve() == path.resolve() else quote(str(path))


def free_port() -> int:
    """8000, or any free port when that is taken."""
    for port in (8000, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            bound: int = probe.getsockname()[1]
            return bound
    raise OSError("no port is free")
