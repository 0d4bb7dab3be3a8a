"""An ONNX embedding model in a folder of this machine. It needs the packages of the extra `EXTRA`."""

import asyncio
import hashlib
import importlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from instep.platform.core.errors import Unusable
from instep.platform.core.memory import return_freed_memory
from instep.platform.llm.embedding import Vector
from instep.platform.llm.protocol import CompletionError

MODEL_FILES = ("model.onnx", "onnx/model.onnx")
EXTRA = "local-embeddings"
# Small sentence transformers are trained on texts up to this length.
MAX_TOKENS = 256


class ModelMissing(Unusable):
    """The folder named by INSTEP_EMBEDDINGS can't be used."""


@dataclass(frozen=True, slots=True)
class LocalEmbedder:
    """A transformer with mean pooling over its last layer, or with the vector of its first token (CLS)."""

    name: str
    session: Any
    encode: Callable[[str], Sequence[int]]
    pools_first_token: bool

    async def vectors(self, texts: Sequence[str], seconds: float) -> list[Vector]:
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.to_thread(self.embed, texts)
        except TimeoutError:
            raise CompletionError(f"It did not answer within {seconds:g} seconds.") from None

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Embed texts one by one: padding a batch to its longest text takes more memory and time."""
        return [self.embed_text(text) for text in texts]

    def embed_text(self, text: str) -> Vector:
        ids = np.array([self.encode(text)], dtype=np.int64)
        ones, zeros = np.ones_like(ids), np.zeros_like(ids)
        inputs = {"input_ids": ids, "attention_mask": ones, "token_type_ids": zeros}
        names = {argument.name for argument in self.session.get_inputs()}
        [output] = self.session.run(None, {name: inputs[name] for name in inputs if name in names})[0]
        if output.ndim > 1:
            output = output[0] if self.pools_first_token else output.mean(axis=0)
        vector: Vector = (output / max(np.linalg.norm(output), 1e-12)).tolist()
        return vector


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
        # The two packages raise errors without a common base class for unreadable files.
        raise ModelMissing(f"INSTEP_EMBEDDINGS: the model in {folder} can't be read ({error}).") from None
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.no_padding()
    digest = hashlib.sha256(model.read_bytes()).hexdigest()[:12]
    name = f"local:{folder.name} ({digest})"
    return LocalEmbedder(name, session, lambda text: tokenizer.encode(text).ids, pools_first_token(folder))


def open_session(model: Path) -> Any:
    """An inference session of ONNX Runtime."""
    # Otherwise the library sends its telemetry to Microsoft. It reads this when it is imported.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    runtime = optional_package("onnxruntime")
    options = runtime.SessionOptions()
    # Other requests need the remaining processors.
    options.intra_op_num_threads = 1
    # The arena never returns the memory of the longest texts: 0.9 GB instead of 0.4 with a model of 23 MB.
    options.enable_cpu_mem_arena = False
    session = runtime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    return_freed_memory()
    return session


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
