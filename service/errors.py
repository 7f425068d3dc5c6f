"""Errors that a person can act on. Each message says what was wrong, where, and what to do."""


class EmicicloError(Exception):
    """Base of the errors that the command line and the web show without a traceback."""


class ConfigurationError(EmicicloError):
    """A setting, a model or an installed package does not fit."""


class DataError(EmicicloError):
    """A data directory, or what lies in it, cannot be used."""


class QueryError(EmicicloError):
    """A SPARQL query was refused or failed at the store that ran it."""


class QuestionError(EmicicloError):
    """A question, or what it is limited to, cannot be answered as it was put."""
