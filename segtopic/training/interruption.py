"""Ctrl-C, at a place where nothing is half done.

Python raises an interruption wherever the program happens to be. Inside the queue that TensorBoard
writes from, between counting an entry and telling its thread of it, the end of the training then
waited up to two minutes for that thread. So the first Ctrl-C is only remembered, and raised before
the next batch; a second one is raised at once.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from pytorch_lightning import Trainer
from pytorch_lightning.callbacks import Callback


class Interruption(Callback):
    """Raises a Ctrl-C between batches."""

    def __init__(self) -> None:
        self._asked_for = False

    @contextmanager
    def awaited(self, trainer: Trainer) -> Iterator[None]:
        """Listen for Ctrl-C, and raise it again in the end: Lightning would end the process."""
        main = threading.current_thread() is threading.main_thread()
        before = signal.getsignal(signal.SIGINT)
        # What ignores the signal, as a shell's background jobs do, goes on ignoring it.
        if main and before is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._remember)
        try:
            yield
        except SystemExit:
            if not trainer.interrupted:
                raise
            raise KeyboardInterrupt from None
        finally:
            if main and before is not None:
                signal.signal(signal.SIGINT, before)

    def on_train_batch_start(self, *arguments: Any) -> None:
        """A safe place."""
        self._raise()

    def on_validation_batch_start(self, *arguments: Any) -> None:
        """A safe place."""
        self._raise()

    def _remember(self, number: int, frame: FrameType | None) -> None:
        self._asked_for = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def _raise(self) -> None:
        if self._asked_for:
            self._asked_for = False
            raise KeyboardInterrupt
