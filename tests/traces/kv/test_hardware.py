"""Tests files of language models and accelerators: the values read, and one line for each mistake."""

from pathlib import Path

import pytest

from spindle.cli.main import main
from spindle.sim.error import UserError
from spindle.traces.kv.hardware import (
    ACCELERATORS,
    LANGUAGE_MODELS,
    MAX_HARDWARE_FILE_BYTES,
    accelerator,
    language_model,
)

MINE = """
[model.mine]
parameters = 1e9
layers = 10
width = 1024
kv_heads = 2
head = 64
number_bytes = 1
source = "mine"
[accelerator.card]
memory = 24e9
flops = 1e14
source = "its box"
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(MINE)
    return path


def test_a_file_has_a_model_and_an_accelerator(mine: Path) -> None:
    model, card = language_model(str(mine)), accelerator(str(mine))
    assert (model.name, model.token_bytes, model.weights) == ("mine", 2 * 10 * 2 * 64, 1e9)
    assert model.flops(10, 100) == 2e10 + 4 * 10 * 1024 * (10 * 100 + 50)
    assert (card.name, card.memory, card.flops, card.source) == ("card", 24e9, 1e14, "its box")


def test_named_ones_are_tables_of_the_same_form() -> None:
    assert language_model("mistral-7b") is LANGUAGE_MODELS["mistral-7b"]
    assert accelerator("h200") is ACCELERATORS["h200"]
    assert LANGUAGE_MODELS["llama-3.1-70b"].token_bytes == 327_680
    assert LANGUAGE_MODELS["mistral-7b"].weights == 2 * 7.24e9
    assert (ACCELERATORS["a100"].memory, ACCELERATORS["h200"].memory) == (80e9, 141e9)


def test_a_number_of_half_the_bytes_halves_the_cache(mine: Path) -> None:
    doubled = mine.with_name("two.toml")
    doubled.write_text(MINE.replace("number_bytes = 1", "number_bytes = 2"))
    assert language_model(str(doubled)).token_bytes == 2 * language_model(str(mine)).token_bytes


@pytest.mark.parametrize(("before", "after", "says"), [
    ("layers = 10", "layers = 10.5", r"\[model.mine\]: layers must be a whole number above 0, not '10.5'"),
    ("layers = 10", "layers = true", "layers must be a whole number"),
    ("head = 64", "head = 0", "head must be a whole number above 0"),
    ("1e9", "inf", "parameters must be a number above 0"), ("1e9", "nan", "parameters must be a number above 0"),
    ("1e9", "1e18", "parameters must be a number above 0"), ('"mine"', "5", "source must be text, not '5'"),
    ("layers", "layer", "unknown key 'layer': did you mean layers"),
    ("width = 1024\n", "", r"\[model.mine\] needs width"),
    ("[model.mine]", "[model.a]\n[model.mine]", r"\[model.a\] needs parameters, layers"),
    ("[model.mine]", "[other.mine]", r"it has 0 tables \[model.NAME\], and one is wanted"),
    ("[model.mine]", "[model", "no TOML: "), (MINE, "model = 5", r"\[model\] must be tables by name"),
    (MINE, "[model]\nmine = 5", r"\[model.mine\] must be a table with parameters, layers"),
    (MINE, "#" * (MAX_HARDWARE_FILE_BYTES + 1), "has more than the 1,048,576 bytes that are read"),
    (MINE, f"{MINE}{MINE.replace('mine', 'other').replace('card', 'other')}", "it has 2 tables"),
])  # fmt: skip
def test_a_mistake_is_named(mine: Path, before: str, after: str, says: str) -> None:
    mine.write_text(MINE.replace(before, after))
    with pytest.raises(UserError, match=says):
        language_model(str(mine))


def test_a_file_may_have_all_the_bytes_that_are_read(mine: Path) -> None:
    mine.write_text(MINE + "#" * (MAX_HARDWARE_FILE_BYTES - len(MINE)))
    assert language_model(str(mine)).name == "mine"


def test_what_is_no_file_and_no_name_is_told(mine: Path, tmp_path: Path) -> None:
    for word, says in (("llama-3.1-7b", "did you mean llama-3.1-70b"), ("none", "a file of your own ends in .toml"),
                       (str(tmp_path / "absent.toml"), "absent.toml")):  # fmt: skip
        with pytest.raises(UserError, match=says):
            language_model(word)


def test_the_command_takes_files(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A prompt of 2,048 tokens, alone: 2e9 operations a token and attention, at half of 1e14 a second."""
    prompts = mine.with_name("prompts.jsonl")
    prompts.write_text('{"timestamp": 0, "input_length": 2048, "output_length": 1, "hash_ids": [1, 2, 3, 4]}\n')
    asked = ["kv", str(prompts), "--model", str(mine), "--gpu", str(mine), "--gpus", "1", "--json"]
    assert main(asked) == 0
    seconds = (2e9 * 2048 + 4 * 10 * 1024 * 2048 * 2048 / 2) / 5e13
    assert f'"response_mean": {0.02 + seconds:.4f}'[:24] in capsys.readouterr().out
