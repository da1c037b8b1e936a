"""What every trained model knows of its folder."""

from pathlib import Path

from segtopic.errors import RunError


class Saved:
    """A model that may have been loaded from, or saved to, a folder.

    Attributes:
        folder: Where it is, if it is anywhere.
    """

    folder: Path | None

    @property
    def name(self) -> str:
        """For people: the folder."""
        return "the model" if self.folder is None else str(self.folder)

    @property
    def saved_folder(self) -> Path:
        """The folder, for what needs one."""
        if self.folder is None:
            raise RunError("the model is not saved yet; save it first")
        return self.folder
