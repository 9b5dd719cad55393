"""Embedding models in this process: from a folder, and from a package that has its weights."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path

import numpy
import pytest
from model2vec import StaticModel
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace

from agents.core.model import ModelError
from agents.models import local_embeddings
from agents.models.embeddings import embeddings

has_weights = pytest.mark.skipif(
    importlib.util.find_spec("wordllama") is None, reason="the package has no build for this Python"
)
WORDS = {"[UNK]": (0, 0), "[PAD]": (0, 0), "airports": (1, 0), "aerodromes": (0.9, 0.1), "rivers": (0, 1)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tokenizer = Tokenizer(WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = Lowercase(), Whitespace()
    StaticModel(numpy.array(list(WORDS.values()), numpy.float32), tokenizer).save_pretrained(tmp_path)
    return tmp_path


async def likeness(name: str, texts: Sequence[str]) -> list[float]:
    """Of the first text to each of the others."""
    model = embeddings(name, {})
    assert model.name == name
    first, *others = (vector / numpy.linalg.norm(vector) for vector in numpy.array(await model.embed(texts)))
    await model.close()
    return [float(first @ other) for other in others]


async def test_a_model_in_a_folder_knows_what_is_alike(folder: Path) -> None:
    near, far = await likeness(f"model2vec:{folder}", ("Aerodromes of Norway", "airports", "rivers"))
    assert near > 0.9 > 0.5 > far


async def test_the_first_line_counts_as_much_as_all_that_follows(folder: Path) -> None:
    (found,) = await likeness(
        f"model2vec:{folder}", ("rivers\nairports, airports, airports, airports", "rivers")
    )
    assert found > 0.7


async def test_a_text_without_a_known_word_has_a_vector_of_zeros(folder: Path) -> None:
    model = embeddings(f"model2vec:{folder}", {})
    assert await model.embed(["", "qwertz", "rivers"]) == [[0, 0], [0, 0], [0, 1]]


@has_weights
async def test_a_model_whose_weights_are_in_a_package_needs_no_download() -> None:
    for asked, near, far in (
        ("hospitals", "clinics: beds, doctors", "rivers: name, length"),
        ("aerodromes", "airports: iata, elevation", "rivers: name, length"),
        ("where do pupils learn", "schools: teachers, students", "power lines: voltage"),
    ):
        found = await likeness("wordllama:l2_supercat_256", (asked, near, far))
        assert found[0] > found[1] + 0.05, asked


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("model2vec:/nowhere", "not the path of a folder"),
        pytest.param("wordllama:l9", "has no model 'l9', but: l2_supercat_256", marks=has_weights),
        pytest.param("wordllama:../weights/l2_supercat_256", "has no model", marks=has_weights),
    ],
)
def test_a_model_that_is_not_there_is_explained(name: str, advice: str) -> None:
    with pytest.raises(ModelError, match=advice) as caught:
        embeddings(name, {})
    assert caught.value.code == "not_configured"


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr(local_embeddings, "find_spec", lambda _name: None)
    assert importlib.util.find_spec("model2vec") is not None
    with pytest.raises(ModelError, match="pip install model2vec wordllama") as caught:
        embeddings(f"model2vec:{folder}", {})
    assert caught.value.code == "not_configured"


async def test_a_broken_model_is_an_error_of_the_model(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(b"nothing")
    with pytest.raises(ModelError, match="cannot be used"):
        await embeddings(f"model2vec:{folder}", {}).embed(["rivers"])
