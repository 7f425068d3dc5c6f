"""The answers, apart from the record: how they are kept, read, listed, written in other forms and verified anew."""

from service.answers.store import keep_answer, read_answer

__all__ = ["keep_answer", "read_answer"]
