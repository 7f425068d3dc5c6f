"""What is imported before the engine's process is started: whoever waits for the first answer waits for it too."""

import subprocess
import sys

from tests.conftest import REPOSITORY


def test_the_application_and_the_pipeline_are_not_imported_before_the_engine_is_started() -> None:
    program = "import sys, service.cli, service.web.server; print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", program], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    imported = set(told.stdout.split())
    assert "service.engines.remote" in imported
    assert not imported & {"flask", "flask_babel", "pyld", "service.pipeline", "service.web.app", "service.loading"}
