"""The guide to production: its commands can be pasted, and its proxies let through what Instep takes."""

import re
import subprocess

import pytest

from instep.core import limits
from instep.core.config import Settings
from instep.demo.help import HELP

GUIDE = (HELP / "02-run-it" / "14-put-it-into-production.md").read_text()
BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
BLOCKS: list[tuple[str, str]] = [(language, text) for _, language, text in BLOCK.findall(GUIDE)]
MIB = 1024 * 1024
# What is left to a proxy beside the time that a model may take.
SPARE_SECONDS = 30


def block(language: str) -> str:
    [text] = (text for name, text in BLOCKS if name == language)
    return text


def number(pattern: str, text: str) -> int:
    [number] = re.findall(pattern, text)
    return int(number)


@pytest.mark.parametrize("commands", [text for language, text in BLOCKS if language == "text"])
def test_its_commands_can_be_read_by_a_shell(commands: str) -> None:
    process = subprocess.run(["sh", "-n"], input=commands, text=True, capture_output=True, check=False)

    assert (process.returncode, process.stderr) == (0, "")


def test_both_proxies_take_the_largest_body() -> None:
    assert number(r"client_max_body_size (\d+)m;", block("nginx")) * MIB == limits.MAX_FILE_BYTES
    assert number(r"max_size (\d+)MiB", block("caddyfile")) * MIB == limits.MAX_FILE_BYTES


def test_both_proxies_wait_for_an_answer_that_a_model_writes() -> None:
    longest = Settings.model_fields["model_seconds"].default + SPARE_SECONDS

    assert number(r"proxy_read_timeout (\d+)s;", block("nginx")) >= longest
    assert number(r"response_header_timeout (\d+)s", block("caddyfile")) >= longest


def test_neither_believes_what_a_caller_says_of_its_address() -> None:
    assert "X-Forwarded-For $remote_addr;" in block("nginx")
    assert "X-Forwarded-For" not in block("caddyfile")


def test_the_service_gives_a_process_the_time_that_it_takes_to_stop() -> None:
    # Requests, jobs and deliveries have 10 seconds each, one after the other.
    assert number(r"TimeoutStopSec=(\d+)", GUIDE) > 30
