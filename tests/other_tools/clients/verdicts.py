"""Prints for each delivery on standard input whether the `verify` in the same folder accepts it."""

import json
import sys
from base64 import b64decode

from verify import verify

json.dump(
    [verify(case["secret"], case["header"], b64decode(case["body"])) for case in json.load(sys.stdin)],
    sys.stdout,
)
