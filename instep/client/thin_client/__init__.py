"""The commands of `instep.pyz`, a single file for CI jobs, which needs only Python 3.11.

The server builds the file (`instep.operations.ops.thin_client`); `instep change` and `instep release` of an
installation run the same functions.
"""
