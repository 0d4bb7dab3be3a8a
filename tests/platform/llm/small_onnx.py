"""A tiny ONNX model: a table with one vector for each word that it knows."""

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace

FLOAT, INT64 = 1, 7
UNKNOWN, PADDING = "[UNK]", "[PAD]"


def make_model(folder: Path, words: Mapping[str, Sequence[float]]) -> Path:
    """Write the model and its tokenizer into one folder, as publishers do."""
    length = len(next(iter(words.values())))
    table = {PADDING: [9.0] * length, UNKNOWN: [0.01] * length, **words}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(model_of(list(table.values())))
    tokenizer = Tokenizer(WordLevel({word: n for n, word in enumerate(table)}, UNKNOWN))
    tokenizer.normalizer = Lowercase()
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def model_of(rows: Sequence[Sequence[float]]) -> bytes:
    raw = struct.pack(f"<{len(rows) * len(rows[0])}f", *(number for row in rows for number in row))
    shape = number_field(1, len(rows)) + number_field(1, len(rows[0]))
    table = shape + number_field(2, FLOAT) + field(8, b"table") + field(9, raw)
    gather = (
        field(1, b"table") + field(1, b"input_ids") + field(2, b"last_hidden_state") + field(4, b"Gather")
    )
    graph = field(1, gather) + field(2, b"small") + field(5, table)
    graph += field(11, value(b"input_ids", INT64, 2)) + field(12, value(b"last_hidden_state", FLOAT, 3))
    return number_field(1, 8) + field(7, graph) + field(8, number_field(2, 13))


def value(name: bytes, kind: int, dimensions: int) -> bytes:
    shape = b"".join(field(1, field(2, b"n%d" % n)) for n in range(dimensions))
    return field(1, name) + field(2, field(1, number_field(1, kind) + field(2, shape)))


def field(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def number_field(number: int, content: int) -> bytes:
    return varint(number << 3) + varint(content)


def varint(number: int) -> bytes:
    data = bytearray()
    while number > 127:
        data.append(number & 127 | 128)
        number >>= 7
    return bytes([*data, number])
