"""The commands of `instep.pyz`, one file for CI jobs, which needs Python 3.11 and nothing else.

The server builds the file (`instep.operations.ops.thin_client`); `instep change` and `instep release` of an
installation run the same functions.
"""
