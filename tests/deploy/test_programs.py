"""The programs that use the files in `deploy`, and the schemas of CI files, accept them."""

import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.deploy
ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
CHECKER = ROOT / ".venv-contract" / "bin" / "check-jsonschema"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
COMMAND = "/opt/instep/.venv/bin/instep"


def run(*command: str | Path) -> str:
    """The output of a program that accepts a file."""
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout + process.stderr


def test_nginx_takes_its_file(tmp_path: Path) -> None:
    key = ("-keyout", tmp_path / "privkey.pem", "-out", tmp_path / "fullchain.pem")
    run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=help.example.com", *key)
    site = (DEPLOY / "nginx" / "instep.conf").read_text().replace("/etc/ssl/instep", str(tmp_path))
    (tmp_path / "instep.conf").write_text(site)
    whole = f"events {{}}\npid {tmp_path}/pid;\nhttp {{ include {tmp_path}/instep.conf; }}\n"
    (tmp_path / "nginx.conf").write_text(whole)

    said = run("nginx", "-t", "-c", tmp_path / "nginx.conf")

    assert "test is successful" in said
    assert "[warn]" not in said


def test_caddy_takes_its_file_as_it_would_write_it() -> None:
    run("caddy", "validate", "--config", DEPLOY / "Caddyfile", "--adapter", "caddyfile")

    assert run("caddy", "fmt", DEPLOY / "Caddyfile") == (DEPLOY / "Caddyfile").read_text()


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_systemd_takes_a_unit(unit: Path, tmp_path: Path) -> None:
    program = shutil.which("true")
    assert program is not None
    copy = tmp_path / unit.name
    copy.write_text(unit.read_text().replace(COMMAND, program))

    assert run("systemd-analyze", "verify", copy) == ""


@pytest.mark.parametrize(
    ("schema", "file"),
    [
        ("github-actions", ROOT / "action.yml"),
        ("compose-spec", DEPLOY / "compose.yaml"),
        *(("github-workflows", workflow) for workflow in WORKFLOWS),
    ],
)
def test_a_file_has_the_form_that_its_schema_tells(schema: str, file: Path) -> None:
    assert "ok" in run(CHECKER, "--builtin-schema", f"vendor.{schema}", file)
