"""Run wrk on loopback for a bounded time, and read requests per second, p50 and p99."""

import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

CONNECTIONS = 16
MILLISECONDS = {"us": 0.001, "ms": 1.0, "s": 1000.0}


@dataclass(frozen=True, slots=True)
class Figures:
    """The result of a run; latencies in milliseconds."""

    per_second: float
    count: int
    p50: float
    p99: float
    failed: int = 0


def require(program: str) -> str:
    path = shutil.which(program)
    if path is None:
        sys.exit(f"bench needs the program {program}: install the package '{program}' of your system.")
    return path


def run_wrk(url: str, script: str, seconds: float, connections: int = CONNECTIONS) -> Figures:
    """Run wrk from one thread."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        Path(file.name).write_text(script)
        command = [
            require("wrk"),
            "-t1",
            f"-c{connections}",
            f"-d{seconds}s",
            "--latency",
            "-s",
            file.name,
            url,
        ]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    failures = re.search(r"Non-2xx or 3xx responses: (\d+)", output)
    return Figures(
        per_second=float(search(r"Requests/sec:\s+([\d.]+)", output)),
        count=int(search(r"(\d+) requests in", output)),
        p50=latency("50%", output),
        p99=latency("99%", output),
        failed=int(failures.group(1)) if failures else 0,
    )


def script_with_keys(keys: list[str], request: str) -> str:
    """A request with a random key, so that the counter of a single key is not the bottleneck."""
    key_list = ", ".join(f'"{key}"' for key in keys)
    return f"""
        local keys = {{ {key_list} }}
        request = function()
            local headers = {{
                ["Authorization"] = "Bearer " .. keys[math.random(#keys)],
                ["Content-Type"] = "application/json",
            }}
            return {request}
        end
    """


def latency(share: str, output: str) -> float:
    match = re.search(rf"{share}\s+([\d.]+)(us|ms|s)", output)
    assert match, output
    return float(match.group(1)) * MILLISECONDS[match.group(2)]


def search(pattern: str, output: str) -> str:
    match = re.search(pattern, output)
    assert match, output
    return match.group(1)
