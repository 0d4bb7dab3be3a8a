"""The entry point of `python3 instep.pyz`; older Pythons can parse it, and report what is missing."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit("instep: Python %d.%d is too old: run this with Python 3.11 or newer." % sys.version_info[:2])  # noqa: UP031

from instep.client.thin_client.program import main

if __name__ == "__main__":
    sys.exit(main())
