"""What was learned in, a run folder out, and back; nothing is pickled or unpickled.

The folder is that of ``segtopic train`` (:mod:`segtopic.training.folder`), so either side opens
what the other one has made.
"""

import os
import shutil
import tempfile
from pathlib import Path

from segtopic.errors import RunError
from segtopic.estimator.learning import Learned
from segtopic.training import load_run
from segtopic.training.documents import save_documents
from segtopic.training.folder import (
    CONFIG,
    DOCUMENTS,
    VOCABULARY,
    save_config,
    save_manifest,
    save_model,
    save_results,
)


def save_learned(learned: Learned, folder: Path, overwrite: bool, documents: bool) -> None:
    """Write the folder; it is whole or not there."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        if not (folder / CONFIG).exists():
            raise RunError(f"{folder}: holds something else than a model; choose another folder")
        if not overwrite:
            raise RunError(
                f"{folder}: holds a model already; pass overwrite=True, or choose another folder"
            )
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        parts = Path(tempfile.mkdtemp(prefix=f".{folder.name}.partial-", dir=folder.parent))
    except OSError as error:
        raise RunError(
            f"{folder}: cannot be written ({error.strerror}); choose another folder"
        ) from None
    try:
        save_config(parts, learned.config, {})
        save_manifest(parts, learned.manifest)
        learned.vocabulary.save(parts / VOCABULARY)
        save_model(parts, learned.model)
        if documents:
            save_documents(parts / DOCUMENTS, learned.documents)
        save_results(parts, learned.results)
        parts.chmod(0o755)
        if folder.exists():
            shutil.rmtree(folder)
        os.rename(parts, folder)
    except OSError as error:
        raise RunError(
            f"{folder}: cannot be written ({error.strerror or error}); choose another folder"
        ) from None
    finally:
        shutil.rmtree(parts, ignore_errors=True)


def load_learned(folder: Path) -> Learned:
    """Open a folder made by :func:`save_learned` or by ``segtopic train``."""
    run = load_run(folder)
    continuation = run.model.scorer.continuation
    if not continuation.corrected:  # it did not learn to correct its topics, and is not to
        continuation.freeze_corrections()
    return Learned(run.config, run.model, run.vocabulary, run.manifest(), run.results, run=run)
