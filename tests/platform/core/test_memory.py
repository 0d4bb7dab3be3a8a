"""The memory that a long-running process keeps, as glibc reports it."""

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import ctypes, sys, threading, time
from instep.platform.core.memory import share_heap

share_heap()
libc = ctypes.CDLL("libc.so.6")
libc.malloc.restype = ctypes.c_void_p
libc.fopen.restype = ctypes.c_void_p
together = threading.Barrier(8)

def use_heap():
    together.wait()
    libc.malloc(1_000)

threads = [threading.Thread(target=use_heap) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
file = ctypes.c_void_p(libc.fopen(sys.argv[1].encode(), b"w"))
libc.malloc_info(0, file)
libc.fclose(file)
"""


def test_all_threads_share_one_heap(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path / "heaps")], check=True, timeout=60)

    assert (tmp_path / "heaps").read_text().count("<heap ") == 1
