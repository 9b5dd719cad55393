"""Embedding models that run in this process, without a server, a key or a download.

`wordllama:l2_supercat_256` has its weights in the package `wordllama`; `model2vec:/path` is any model2vec model in a
folder. Both are tables of one vector for each piece of a word, so a text takes microseconds. The packages are optional
(the extra `embeddings`), and are imported when the model is first needed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from agents.core.model import ModelError

INSTALL = "`pip install model2vec wordllama` in GeoAgent's environment"
MAX_TOKENS = 512
"""Tokens of a text that are read; the rest of a longer one is not."""


class LocalEmbeddings:
    """One embedding model, loaded when it is first needed."""

    def __init__(self, name: str, load: Callable[[], Any]) -> None:
        self._name = name
        self._load = load
        self._model: Any = None

    @property
    def name(self) -> str:
        """`kind:model`."""
        return self._name

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector for each text, in their order, all of one length. The first line counts as much as the whole text:
        in a mean of word vectors, long comments of columns would hide what a table is. Raises ModelError."""
        return await asyncio.to_thread(self._embed, list(texts))

    def _embed(self, texts: list[str]) -> list[list[float]]:
        try:
            if self._model is None:
                self._model = self._load()
            heads = [text.partition("\n")[0] for text in texts]
            whole, head = (_units(self._model.encode(each, max_length=MAX_TOKENS)) for each in (texts, heads))
            vectors: list[list[float]] = ((whole + head) / 2).tolist()
        except Exception as error:
            raise ModelError("bad_reply", f"{self._name} cannot be used: {error}") from error
        return vectors

    async def close(self) -> None:
        """Forget the model."""
        self._model = None


def _units(vectors: Any) -> Any:
    """With length 1; zeros stay zeros."""
    lengths = (vectors**2).sum(axis=1, keepdims=True) ** 0.5
    return vectors / (lengths + (lengths == 0))


def local_embeddings(kind: str, model: str) -> LocalEmbeddings | None:
    """The model of this kind; None if models of this kind do not run in this process. Raises ModelError
    `not_configured` where the packages or the files are not there."""
    if kind not in ("model2vec", "wordllama"):
        return None
    missing = [each for each in dict.fromkeys(("model2vec", kind)) if find_spec(each) is None]
    if missing:
        raise ModelError("not_configured", f"{kind}:{model} needs the package `{missing[0]}`: {INSTALL}.")
    return LocalEmbeddings(
        f"{kind}:{model}", _in_folder(model) if kind == "model2vec" else _in_package(model)
    )


def _in_folder(model: str) -> Callable[[], Any]:
    folder = Path(model)
    if not (folder / "model.safetensors").is_file() or not (folder / "tokenizer.json").is_file():
        raise ModelError(
            "not_configured",
            f"model2vec:{model} is not the path of a folder with `model.safetensors` and `tokenizer.json`.",
        )

    def load() -> Any:
        from model2vec import StaticModel

        return StaticModel.from_pretrained(folder)

    return load


def _in_package(model: str) -> Callable[[], Any]:
    """Read without importing the package, which sets up logging and would download its tokenizer."""
    spec = find_spec("wordllama")
    package = Path((spec.submodule_search_locations or [""])[0]) if spec is not None else Path()
    weights = package / "weights" / f"{model}.safetensors"
    tokenizer = package / "tokenizers" / f"{model.rpartition('_')[0]}_tokenizer_config.json"
    known = sorted(each.stem for each in (package / "weights").glob("*.safetensors"))
    if model not in known or not tokenizer.is_file():
        raise ModelError(
            "not_configured", f"The package `wordllama` has no model {model!r}, but: {', '.join(known)}."
        )

    def load() -> Any:
        from model2vec import StaticModel
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        return StaticModel(load_file(weights)["embedding.weight"], Tokenizer.from_file(str(tokenizer)))

    return load
