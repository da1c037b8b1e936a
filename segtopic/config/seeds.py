"""Seeds of topics: a YAML file or a mapping in, rows of a name and its seeds out.

    sport: [cricket, test match, wicket]
    politics: [prime minister, election]

>>> seed_rows({"sport": ["cricket", "test match"], "politics": "election"})
(('sport', 'cricket', 'test match'), ('politics', 'election'))
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from segtopic.errors import ConfigError
from segtopic.typed import shown

SeedRows = tuple[tuple[str, ...], ...]
"""A row for each topic: its name, then its seeds."""
LONGEST_NAME = 200


def read_seeds(path: Path | str) -> SeedRows:
    """The rows of a YAML file."""
    try:
        content = yaml.safe_load(Path(path).expanduser().read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(f"--seeds {path}: cannot be read ({reason}); give a YAML file") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise ConfigError(f"{path}: is not YAML ({reason}); correct the file") from None
    try:
        return seed_rows(content)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def seed_rows(seeds: Any) -> SeedRows:
    """The rows of a mapping from names of topics to a seed or a list of seeds."""
    if not isinstance(seeds, Mapping) or not seeds:
        raise ConfigError("seeds must name topics; write lines such as 'sport: [cricket, wicket]'")
    rows = []
    for name, words in seeds.items():
        listed = [words] if isinstance(words, str) else words
        if not isinstance(listed, (list, tuple)) or not all(isinstance(w, str) for w in listed):
            raise ConfigError(
                f"seeds: '{shown(name)}' has '{shown(words)}', but must have a list of words or "
                "phrases; put what is no text, such as a number, in quotes"
            )
        rows.append((str(name), *listed))
    return check_rows(tuple(rows))


def check_rows(rows: SeedRows) -> SeedRows:
    """Refuse rows without a seed, and names that are none or come twice."""
    for name, *words in rows:
        if not name.strip() or not name.isprintable() or len(name) > LONGEST_NAME:
            raise ConfigError(
                f"seeds: '{shown(name)}' is no name; it must have 1 to {LONGEST_NAME} characters, "
                "all of them printable"
            )
        if not any(word.strip() for word in words):
            raise ConfigError(f"seeds: '{name}' has no seed; give it words or phrases")
    names = [name for name, *_ in rows]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ConfigError(f"seeds: two topics have the name '{twice[0]}'; rename one of them")
    return rows
