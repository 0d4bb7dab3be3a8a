"""Prints whether the `verify` in the same folder accepts each delivery on standard input."""

import json
import sys
from base64 import b64decode

from verify import verify

json.dump(
    [verify(case["secret"], case["header"], b64decode(case["body"])) for case in json.load(sys.stdin)],
    sys.stdout,
)
