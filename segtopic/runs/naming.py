"""Names of topics, and topics that are taken together: ``names.yaml`` in a run, written by hand.

    names:
      3: Machine translation
      7: Speech
    merged:
    - [3, 12]

Topics have the model's numbers. Those of a row under ``merged`` are shown as one topic, with the
number of the first. The file changes nothing of the model, and no digest guards it: it is the
user's own.

>>> Naming({3: "Speech"}, ((3, 1),)).problem(n_topics=3)
'topic 3 is named, but the topics are 0 to 2'
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from segtopic.errors import RunError
from segtopic.files import write_atomically

NAMES = "names.yaml"
LONGEST_NAME = 200


@dataclass(frozen=True)
class Naming:
    """What a user says of the topics.

    Attributes:
        names: By the numbers of topics.
        merged: Numbers of topics that are one; the first stands for all.
    """

    names: Mapping[int, str] = field(default_factory=dict)
    merged: tuple[tuple[int, ...], ...] = ()

    @classmethod
    def of_seeds(cls, rows: Sequence[Sequence[str]]) -> "Naming":
        """Seeded topics are called as their seeds are."""
        return cls({number: name for number, (name, *_) in enumerate(rows)})

    def problem(self, n_topics: int) -> str | None:
        """What is wrong with it for a model of so many topics, if anything is."""
        members = [number for group in self.merged for number in group]
        for what, numbers in (("named", list(self.names)), ("merged", members)):
            if wrong := [number for number in numbers if not 0 <= number < n_topics]:
                return f"topic {wrong[0]} is {what}, but the topics are 0 to {n_topics - 1}"
        if twice := [number for number, times in Counter(members).items() if times > 1]:
            return f"topic {twice[0]} is merged twice"
        if any(len(group) < 2 for group in self.merged):
            return "a row under 'merged' has fewer than two topics"
        inside = {number for group in self.merged for number in group[1:]}
        shown = [name for number, name in self.names.items() if number not in inside]
        for name in self.names.values():
            if not name.strip() or not name.isprintable() or len(name) > LONGEST_NAME:
                return (
                    f"'{name[:40]}' is no name: it must have 1 to {LONGEST_NAME} characters, "
                    "all of them printable"
                )
        if twice_named := [name for name, times in Counter(shown).items() if times > 1]:
            return f"two topics have the name '{twice_named[0]}'"
        return None

    def save(self, folder: Path) -> None:
        """Write the file; one without content is removed."""
        path = folder / NAMES
        if not self.names and not self.merged:
            path.unlink(missing_ok=True)
            return
        names = {"names": {number: self.names[number] for number in sorted(self.names)}}
        rows = "".join(f"- [{', '.join(map(str, group))}]\n" for group in self.merged)
        merged = f"merged:\n{rows}" if rows else ""
        write_atomically(path, yaml.safe_dump(names, allow_unicode=True) + merged)

    @classmethod
    def load(cls, folder: Path, n_topics: int) -> "Naming":
        """Read the file of a run; without one nothing is named."""
        path = folder / NAMES
        try:
            content = yaml.safe_load(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return cls()
        except (OSError, ValueError, yaml.YAMLError, RecursionError) as error:
            reason = " ".join(str(error).split())
            raise RunError(f"{path}: cannot be read ({reason}); correct or remove it") from None
        found = _from_content({} if content is None else content)
        problem = found if isinstance(found, str) else found.problem(n_topics)
        if problem is not None:
            raise RunError(f"{path}: {problem}; correct or remove it")
        assert isinstance(found, Naming)
        return found


def _from_content(content: Any) -> "Naming | str":
    """What a file says, or what is wrong with it."""
    if not isinstance(content, dict) or not content.keys() <= {"names", "merged"}:
        return "must hold nothing but 'names' and 'merged'"
    names, merged = content.get("names") or {}, content.get("merged") or []
    if not isinstance(names, dict) or not all(
        _is_number(number) and isinstance(name, str) for number, name in names.items()
    ):
        return "'names' must have lines such as '3: Machine translation'"
    if not isinstance(merged, list) or not all(
        isinstance(group, list) and all(map(_is_number, group)) for group in merged
    ):
        return "'merged' must have rows of topic numbers such as '- [3, 12]'"
    return Naming(names, tuple(map(tuple, merged)))


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
