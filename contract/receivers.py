"""Have a server deliver to the receivers of `docs/webhooks.md`, and type what the document says."""

import os
import re
import signal
import subprocess

import httpx2

from contract.deliveries import SECONDS, asked, create_endpoint
from contract.programs import FOLDER, Program
from tests.runtime.installation import COMMAND, Installation, free_port
from tests.webhooks.snippets import blocks


def receive(program: Program, installation: Installation, client: httpx2.Client) -> None:
    """A delivery from the server arrives; the same again is known to the receiver; another's is refused."""
    port = free_port()
    webhook = create_endpoint(client, f"http://127.0.0.1:{port}/")
    path = f"/v1/webhooks/{webhook['id']}"
    environment = os.environ | {"PORT": str(port), "INSTEP_WEBHOOK_SECRET": webhook["secret"]}
    with subprocess.Popen(
        program.command("receiver"),
        cwd=program.folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as receiver:
        try:
            installation.until(lambda: answers(port) == 400, SECONDS)
            delivery = asked(client, f"{path}/test")
            installation.until(lambda: attempts(client, path) == [204], SECONDS)
            asked(client, f"{path}/deliveries/{delivery['id']}/redeliver")
            installation.until(lambda: attempts(client, path) == [204, 204], SECONDS)
        finally:
            asked(client, path, {"status": "disabled"}, "PATCH")
            receiver.kill()
        said = receiver.communicate()[0]
    assert said == "webhook.test new\nwebhook.test seen\n", said


def answers(port: int) -> int | None:
    """The receiver's answer to an unsigned delivery; None when it does not listen yet."""
    try:
        return httpx2.post(f"http://127.0.0.1:{port}/", content=b"{}").status_code
    except httpx2.TransportError:
        return None


def attempts(client: httpx2.Client, path: str) -> list[int]:
    [delivery] = asked(client, f"{path}/deliveries", method="GET")["results"]
    return [attempt["httpStatus"] for attempt in delivery["attempts"]]


def follow(installation: Installation, client: httpx2.Client) -> None:
    """What a reader would type, on ports that are free; what is printed is what the document says."""
    port = str(free_port())
    [listen] = [code for code in blocks("sh") if "instep webhooks listen" in code]
    [publish] = [code for code in blocks("sh") if "/invite-colleagues/publish" in code]
    environment = os.environ | {
        "INSTEP_URL": installation.url,
        "INSTEP_API_KEY": client.headers["authorization"].removeprefix("Bearer "),
        "PATH": f"{COMMAND.parent}:{os.environ['PATH']}",
    }
    [line] = [code for code in blocks("text") if code.startswith("article.published")]
    printed, said = FOLDER / "printed", FOLDER / "said"
    printed.write_text("")
    said.write_text("")
    with subprocess.Popen(
        ["bash"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env=environment,
        cwd=FOLDER,
        text=True,
        start_new_session=True,
    ) as shell:
        try:
            write(
                shell,
                listen.replace("4242", port).replace("listen &", f"listen --port {port} >printed 2>said &"),
            )
            installation.until(lambda: "Listening" in said.read_text(), SECONDS)
            write(shell, publish)
            installation.until(lambda: printed.read_text().endswith("\n"), SECONDS)
        finally:
            os.killpg(shell.pid, signal.SIGKILL)
    assert re.fullmatch(re.escape(line).replace("…", r"\w+"), printed.read_text()), printed.read_text()


def write(shell: subprocess.Popen[str], commands: str) -> None:
    assert shell.stdin is not None
    shell.stdin.write(commands)
    shell.stdin.flush()
