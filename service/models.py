"""Opens the language model that the settings name. Its client is slow to import and is only then."""

from typing import TYPE_CHECKING

from service.errors import ConfigurationError
from service.settings import Settings

if TYPE_CHECKING:
    from service.language_model import LanguageModel


def open_language_model(settings: Settings) -> "LanguageModel | None":
    """The configured model, or None. Raises `ConfigurationError` for half a configuration."""
    if settings.llm_model is None:
        if settings.llm_base_url is not None or settings.llm_api_key is not None:
            raise ConfigurationError("a language model needs EMICICLO_LLM_MODEL, the name of the model")
        return None
    if settings.llm_base_url is None and settings.llm_api_key is None:
        raise ConfigurationError(
            "the language model needs EMICICLO_LLM_API_KEY, or EMICICLO_LLM_BASE_URL for a server of your own"
        )
    from service.language_model import LanguageModel

    key = settings.llm_api_key
    return LanguageModel(
        name=settings.llm_model,
        base_url=settings.llm_base_url,
        api_key=key.get_secret_value() if key else None,
        timeout=settings.llm_timeout,
    )
