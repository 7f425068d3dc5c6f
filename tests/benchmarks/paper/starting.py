"""The service as people start it: how soon it is ready, and how soon its first answer is there."""

import compileall
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import httpx

from tests.benchmarks.paper import memory
from tests.benchmarks.serving import ROOT, holding, serving, wait_until

PATIENCE: Final = 300.0
ANSWERS: Final = 6
PACKAGES: Final = ("loaders", "mappings", "ontology", "service", "sparql")
"""Ours, which an installation compiles."""


def measure_start(
    data: Path, settings: dict[str, str], questions: Sequence[str], copied: Path | None
) -> dict[str, Any]:
    """Start the service with settings (without prefix) and ask it; then stop it and do so again.

    The service writes answers and jobs into its data directory, which is `copied` to another folder where it
    must stay as it is. Files stay in the system's memory, as after a load, apart from those that Qdrant has the
    system forget when it closes them.
    """
    for package in PACKAGES:
        compileall.compile_dir(ROOT / package, quiet=2)
    if copied:
        shutil.rmtree(copied, ignore_errors=True)
        shutil.copytree(data, copied, symlinks=True, ignore=shutil.ignore_patterns("jobs", "cache", "answers"))
        data = copied
    try:
        return {"first": _start(data, settings, questions), "again": _start(data, settings, questions)}
    finally:
        if copied:
            shutil.rmtree(copied, ignore_errors=True)


def _start(data: Path, settings: dict[str, str], questions: Sequence[str]) -> dict[str, Any]:
    begin = time.perf_counter()
    with serving(data, settings) as service:
        listening = time.perf_counter() - begin
        with httpx.Client(base_url=f"http://127.0.0.1:{service.port}", timeout=PATIENCE) as client:
            wait_until(lambda: client.get("/health").is_success, "the service to be ready", PATIENCE)
            ready = time.perf_counter() - begin
            answers = [_answered(client, question) for question in questions[:ANSWERS]]
            return {
                "listening": round(listening, 3),
                "ready": round(ready, 3),
                "first_answer": round(ready + answers[0][0], 3),
                "answers": [round(seconds, 3) for seconds, _ in answers],
                "quotations": [number for _, number in answers],
                "pss_mb": holding(service.tree()).megabytes,
                "processes": [memory.held(pid).get("rss", 0.0) for pid in service.tree()],
            }


def _answered(client: httpx.Client, question: str) -> tuple[float, int]:
    """Seconds from putting a question to having its whole answer, and the quotations in it.

    Raises `RuntimeError` where there is no answer.
    """
    begin = time.perf_counter()
    taken = client.post("/answers", json={"question": question, "fresh": True}).raise_for_status()
    deadline = begin + PATIENCE
    while time.perf_counter() < deadline:
        answer = client.get(taken.headers["Location"], headers={"Accept": "application/json"})
        if answer.status_code == 200 and "sections" in answer.json():
            sections = answer.json()["sections"]
            return time.perf_counter() - begin, sum(len(section.get("quotations", ())) for section in sections)
        if answer.status_code not in (200, 202):
            raise RuntimeError(f"{question}: {answer.status_code} {answer.text[:300]}")
        time.sleep(0.02)
    raise RuntimeError(f"{question}: no answer in {PATIENCE:g} s")
