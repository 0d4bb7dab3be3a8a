"""An ONNX embedding model in a folder of this machine. It needs the packages of the extra `EXTRA`."""

import asyncio
import ctypes
import hashlib
import importlib
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from instep.core.errors import Unusable
from instep.llm.embedding import Vector
from instep.llm.protocol import CompletionError

MODEL_FILES = ("model.onnx", "onnx/model.onnx")
EXTRA = "local-embeddings"
# Small sentence transformers are trained on texts up to this length.
MAX_TOKENS = 256
# Larger batches take more memory and no less time.
BATCH_SIZE = 4


class ModelMissing(Unusable):
    """The folder named by INSTEP_EMBEDDINGS can't be used."""


@dataclass(frozen=True, slots=True)
class LocalEmbedder:
    """A transformer with mean pooling over its last layer, or with the vector of its first token (CLS)."""

    name: str
    session: Any
    tokenizer: Any
    pools_first_token: bool

    async def vectors(self, texts: Sequence[str], seconds: float) -> list[Vector]:
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.to_thread(self.embed, texts)
        except TimeoutError:
            raise CompletionError(f"It did not answer within {seconds:g} seconds.") from None

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Batches hold texts of similar length, because each text of a batch is padded to the longest."""
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        vectors: dict[int, Vector] = {}
        for start in range(0, len(order), BATCH_SIZE):
            batch = order[start : start + BATCH_SIZE]
            vectors.update(zip(batch, self.embed_batch([texts[index] for index in batch]), strict=True))
        return [vectors[index] for index in range(len(texts))]

    def embed_batch(self, texts: Sequence[str]) -> list[Vector]:
        encodings = self.tokenizer.encode_batch(list(texts))
        attention_mask = np.array([encoding.attention_mask for encoding in encodings], dtype=np.int64)
        inputs = {
            "input_ids": np.array([encoding.ids for encoding in encodings], dtype=np.int64),
            "attention_mask": attention_mask,
            "token_type_ids": np.zeros_like(attention_mask),
        }
        names = {argument.name for argument in self.session.get_inputs()}
        output = self.session.run(None, {name: inputs[name] for name in inputs if name in names})[0]
        vectors: list[Vector] = l2_normalize_rows(self.pool(output, attention_mask)).tolist()
        return vectors

    def pool(self, output: npt.NDArray[Any], attention_mask: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """float[texts, dimensions] from float[texts, tokens, dimensions] and an int64[texts, tokens] mask."""
        if output.ndim == 2:
            return output
        if self.pools_first_token:
            first: npt.NDArray[Any] = output[:, 0]
            return first
        weights = attention_mask[:, :, None].astype(np.float32)
        mean: npt.NDArray[Any] = (output * weights).sum(axis=1) / weights.sum(axis=1)
        return mean


def l2_normalize_rows(vectors: npt.NDArray[Any]) -> npt.NDArray[Any]:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit_vectors: npt.NDArray[Any] = vectors / np.maximum(norms, 1e-12)
    return unit_vectors


def load(folder: Path) -> LocalEmbedder:
    """The model of a folder: `model.onnx`, `tokenizer.json`, and its pooling if the publisher states it."""
    model = next((folder / name for name in MODEL_FILES if (folder / name).is_file()), None)
    if model is None or not (folder / "tokenizer.json").is_file():
        raise ModelMissing(
            f"INSTEP_EMBEDDINGS names the folder {folder}, which lacks model.onnx or tokenizer.json: "
            "put a model exported to ONNX there, with its tokenizer."
        )
    tokenizers = optional_package("tokenizers")
    try:
        session = open_session(model)
        tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception as error:
        if isinstance(error, ModelMissing):
            raise
        # The two packages raise errors without a common base class for a file that they can't read.
        raise ModelMissing(f"INSTEP_EMBEDDINGS: the model in {folder} can't be read ({error}).") from None
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.enable_padding()
    digest = hashlib.sha256(model.read_bytes()).hexdigest()[:12]
    return LocalEmbedder(f"local:{folder.name} ({digest})", session, tokenizer, pools_first_token(folder))


def open_session(model: Path) -> Any:
    """An inference session of ONNX Runtime."""
    runtime = optional_package("onnxruntime")
    options = runtime.SessionOptions()
    # Other requests need the remaining processors.
    options.intra_op_num_threads = 1
    # The arena never returns the memory of the longest texts: 0.9 GB instead of 0.4 with a model of 23 MB.
    options.enable_cpu_mem_arena = False
    session = runtime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    return_freed_memory()
    return session


def return_freed_memory() -> None:
    """Give the system what reading a model has freed: 64 of 162 MB with a model of 23 MB. glibc keeps it."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)


def optional_package(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ModelMissing(
            f"INSTEP_EMBEDDINGS names a local model, which needs {name}:"
            f" install Instep with its extra {EXTRA}."
        ) from None


def pools_first_token(folder: Path) -> bool:
    path = folder / "1_Pooling" / "config.json"
    return path.is_file() and bool(json.loads(path.read_bytes()).get("pooling_mode_cls_token"))
