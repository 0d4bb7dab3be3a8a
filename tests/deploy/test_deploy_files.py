"""The files in `deploy` use existing commands, settings, ports and limits, and grant no extra rights."""

import re
import shlex
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from typer.core import TyperGroup

from instep import __version__
from instep.cli import app
from instep.platform.core import limits
from instep.platform.core.config import environment_name, read_settings
from instep.platform.core.settings import Settings

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = ("serve", "worker")
UNITS = {path.name: path.read_text() for path in (DEPLOY / "systemd").glob("*.service")}
NGINX = (DEPLOY / "nginx" / "instep.conf").read_text()
CADDY = (DEPLOY / "Caddyfile").read_text()
SETTINGS = {environment_name(field) for field in Settings.model_fields}
MIB = 1024 * 1024
# The time that a proxy gets in addition to the maximum time of a model.
SPARE_SECONDS = 30
# Requests, jobs and deliveries get 10 seconds each, one after another.
STOP_SECONDS = 30


def number(pattern: str, text: str) -> int:
    [digits] = re.findall(pattern, text)
    return int(digits)


def options_of(command: list[str]) -> set[str]:
    """The options of an `instep` command, which must exist."""
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    return {option for parameter in group.commands[command[0]].params for option in parameter.opts}


def assert_runs(command: list[str]) -> None:
    assert {word for word in command[1:] if word.startswith("--")} <= options_of(command)


def test_commands_exist_with_their_options() -> None:
    [default] = re.findall(r"^CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)
    assert_runs(yaml.safe_load(default))
    for name in OURS:
        assert_runs(SERVICES[name]["command"])
    for text in UNITS.values():
        [line] = re.findall(r"^ExecStart=/opt/instep/.venv/bin/instep (.*)$", text, re.MULTILINE)
        assert_runs(shlex.split(line))


def test_settings_exist_and_can_be_read() -> None:
    lines = re.findall(r"^#?(INSTEP_\w+)=(.*)$", (DEPLOY / "instep.env.example").read_text(), re.MULTILINE)
    names = [name for service in OURS for name in SERVICES[service]["environment"]]

    assert {name.removesuffix("_FILE") for name in names} | {name for name, _ in lines} <= SETTINGS
    filled = {name: value for name, value in lines if value}
    assert read_settings(filled, Path("none.toml")).backups == "file:///var/backups/instep"


def test_ports_are_those_that_instep_listens_on() -> None:
    ports = {
        *re.findall(r"^EXPOSE (\d+)", DOCKERFILE, re.MULTILINE),
        *re.findall(r"127\.0\.0\.1:(\d+)", DOCKERFILE + NGINX + CADDY),
        SERVICES["caddy"]["environment"]["INSTEP_UPSTREAM"].rpartition(":")[2],
    }

    assert ports == {"8000"}


def test_nothing_runs_as_root_or_writes_to_its_image() -> None:
    final_stage = DOCKERFILE.split("FROM ")[-1]
    assert re.findall(r"^USER (.*)$", final_stage, re.MULTILINE) == ["10001:10001"]
    for service in SERVICES.values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert "privileged" not in service
    assert all("cap_add" not in SERVICES[name] for name in OURS)


def test_only_the_proxy_is_reached_from_outside_and_only_instep_reaches_the_database() -> None:
    assert {name for name, service in SERVICES.items() if "ports" in service} == {"caddy"}
    in_database = {name for name, service in SERVICES.items() if "database" in service["networks"]}
    assert in_database == {"postgres", *OURS}
    assert COMPOSE["networks"]["database"]["internal"] is True


def test_the_address_of_the_proxy_is_trusted_and_no_other() -> None:
    address = SERVICES["caddy"]["networks"]["front"]["ipv4_address"]

    assert SERVICES["serve"]["environment"]["INSTEP_TRUSTED_PROXIES"] == f"{address}/32"


def test_secrets_are_files_that_are_made_and_no_repository_holds(tmp_path: Path) -> None:
    (tmp_path / "prepare").write_text((DEPLOY / "prepare").read_text())
    for _ in range(2):
        subprocess.run(["sh", tmp_path / "prepare", "help.example.com"], check=True, capture_output=True)
        secrets = {file.name: file.read_text() for file in (tmp_path / "secrets").iterdir()}

    assert {f"./secrets/{name}" for name in secrets} == {
        secret["file"] for secret in COMPOSE["secrets"].values()
    }
    assert (tmp_path / "secrets").stat().st_mode & 0o777 == 0o700
    assert secrets["database_password"] in secrets["database_url"]
    assert len(set(secrets.values())) == len(secrets)
    used = {"INSTEP_SECRET_KEY": secrets["secret_key"], "INSTEP_DATABASE_URL": secrets["database_url"]}
    assert read_settings(used, Path("none.toml")).secret_key == secrets["secret_key"]
    assert (tmp_path / "compose.env").read_text() == "INSTEP_HOST=help.example.com\n"
    ignored = (ROOT / ".gitignore").read_text().splitlines()
    assert {"deploy/secrets/", "deploy/compose.env"} <= set(ignored)


def test_context_of_the_image_has_every_file_that_is_copied() -> None:
    copied = {
        name
        for line in re.findall(r"^COPY (?!--from)(.*)$", DOCKERFILE, re.MULTILINE)
        for name in line.split()[:-1]
    }
    allowed = {
        line.removeprefix("!") for line in (ROOT / ".dockerignore").read_text().splitlines() if line[0] == "!"
    }

    assert copied == allowed
    assert all((ROOT / name).exists() for name in copied)


def test_every_extra_can_be_built_into_the_image_and_is_told() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    page = (ROOT / "docs" / "help" / "02-run-it" / "15-deploy.md").read_text()

    assert set(re.findall(r"^\| `([a-z-]+)` \|", page.partition("## Extras")[2], re.MULTILINE)) == (
        extras.keys() - {"build", "dev"}
    )
    assert '".[$EXTRAS]"' in DOCKERFILE


def test_a_process_gets_the_time_that_it_takes_to_stop() -> None:
    assert all(number(r"TimeoutStopSec=(\d+)", text) > STOP_SECONDS for text in UNITS.values())
    assert all(int(SERVICES[name]["stop_grace_period"].removesuffix("s")) > STOP_SECONDS for name in OURS)


def test_both_proxies_take_the_largest_body_and_wait_for_a_model() -> None:
    longest = Settings.model_fields["model_seconds"].default + SPARE_SECONDS
    largest = max(
        value for name, value in vars(limits).items() if name.endswith(("BODY_BYTES", "FORM_BYTES"))
    )

    assert number(r"client_max_body_size (\d+)m;", NGINX) * MIB > largest
    assert number(r"max_size (\d+)MiB", CADDY) * MIB > largest
    assert number(r"proxy_read_timeout (\d+)s;", NGINX) >= longest
    assert number(r"response_header_timeout (\d+)s", CADDY) >= longest


def test_proxies_close_unused_connections_before_instep_does() -> None:
    assert number(r"keepalive_timeout (\d+)s;", NGINX) < limits.KEEP_ALIVE_SECONDS
    assert number(r"keepalive (\d+)s", CADDY) < limits.KEEP_ALIVE_SECONDS


def test_neither_believes_what_a_caller_says_of_its_address() -> None:
    assert "X-Forwarded-For $remote_addr;" in NGINX
    directives = re.sub(r"#.*", "", CADDY)
    assert "X-Forwarded-For" not in directives
    assert "trusted_proxies" not in directives


@pytest.mark.parametrize("name", ["instep.service", "instep-worker.service"])
def test_a_unit_is_closed_to_what_it_does_not_need(name: str) -> None:
    lines = set(UNITS[name].splitlines())

    assert {
        *("User=instep", "CapabilityBoundingSet=", "NoNewPrivileges=true", "ProtectSystem=strict"),
        *("ProtectHome=true", "PrivateTmp=true", "RestrictNamespaces=true", "UMask=0077"),
        "SystemCallFilter=@system-service",
    } <= lines


@pytest.mark.parametrize("workflow", sorted((ROOT / ".github" / "workflows").glob("*.yml")))
def test_actions_are_pinned_by_commit_and_rights_are_given_one_by_one(workflow: Path) -> None:
    text = workflow.read_text()
    parsed = yaml.safe_load(text)

    uses = re.findall(r"uses: (.*)", text)
    assert uses
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v[\d.]+", line) for line in uses)
    assert parsed["permissions"] == {}
    assert all("permissions" in job and "timeout-minutes" in job for job in parsed["jobs"].values())


def test_a_release_is_what_its_tag_says() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text()
    [check] = re.findall(r"python -c '(import tomllib.*)'\)", text)

    version = subprocess.run(
        [sys.executable, "-c", check], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert version.stdout.strip() == __version__


def test_all_that_the_image_leaves_out_of_packages_is_in_them() -> None:
    packages = Path(sysconfig.get_paths()["purelib"])
    removed = re.findall(r"^rm -r?f (.*)$", (DEPLOY / "slim").read_text(), re.MULTILINE)[1:]
    paths = [path for line in removed for path in line.split()]

    assert len(paths) > 5
    assert [path for path in paths if not any(packages.glob(path))] == []


def test_setup_continues_after_its_environment_could_not_be_made(tmp_path: Path) -> None:
    """Debian's Python without its package for environments leaves one that has no pip."""
    python = tmp_path / "python"
    python.write_text(
        '#!/bin/sh\n[ "$1" = -c ] && exit\nmkdir -p .venv/bin; ln -sf /bin/true .venv/bin/python\n'
        "[ -e package ] && ln -s /bin/true .venv/bin/pip\n"
    )
    python.chmod(0o755)
    (tmp_path / "requirements").mkdir()
    for name in ("requirements/runtime.lock", "pyproject.toml"):
        (tmp_path / name).touch()
    make = ["make", "-f", str(ROOT / "Makefile"), "setup", f"PYTHON={python}"]

    first = subprocess.run(make, cwd=tmp_path, capture_output=True, check=False)
    (tmp_path / "package").touch()
    second = subprocess.run(make, cwd=tmp_path, capture_output=True, check=False)

    assert (first.returncode > 0, second.returncode) == (True, 0)
    assert (tmp_path / ".venv" / "bin" / "pip").exists()
