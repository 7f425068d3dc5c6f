"""What the processes have in common that a load starts beside itself."""

import multiprocessing
import os
import threading


def end_with_parent() -> None:
    """Called in such a process: it ends when its load was killed, too, as its queue would never tell it."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
