"""A self-contained page: a template and its values in, HTML out, and where it is written.

Nothing on the page can reach the network: the content security policy allows the one style sheet
and the one script whose digests it names, and no request at all. Text of users goes through the
template's escaping, or as JSON through the script, which writes it as text and never as HTML.
"""

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from segtopic.errors import ConfigError, RunError
from segtopic.harmless import for_script

PAGE = Path(__file__).parent / "page"
GENERATOR = '<meta name="generator" content="segtopic report">'


def document(
    template: str,
    styles: Sequence[str],
    scripts: Sequence[str],
    data: Any,
    *,
    media: bool = False,
    **values: Any,
) -> str:
    """The page.

    Args:
        template: of :data:`PAGE`, as are the following.
        styles: style sheets.
        scripts: that run on the page; each sees what those before it define.
        data: what they read.
        media: whether the page may show pictures and play sounds that stand in it.
        values: for the template.
    """
    style = "".join(map(_file, styles))
    script = "(() => {\n" + "\n".join(map(_file, scripts)) + "})();\n"
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'" + ("; img-src data:; media-src data:" * media)
    )
    return (
        environment()
        .get_template(template)
        .render(
            generator=Markup(GENERATOR),
            policy=Markup(policy),
            style=Markup(style),
            script=Markup(script),
            data=Markup(for_script(data)),
            **values,
        )
    )


def environment() -> Environment:
    """The templates of :data:`PAGE`; what is written into them is escaped."""
    return Environment(
        loader=FileSystemLoader(PAGE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def check_free(path: Path) -> None:
    """Refuse a place where no page can be written, before any work is done."""
    if not path.parent.is_dir():
        raise ConfigError(f"{path}: the folder {path.parent} does not exist; make it first")
    try:
        with path.open("rb") as file:
            ours = GENERATOR.encode() in file.read(1024)
    except FileNotFoundError:
        return
    except OSError as error:
        raise RunError(
            f"{path}: cannot be replaced ({error.strerror}); choose another -o"
        ) from None
    if not ours:
        raise RunError(f"{path}: holds something else than a report; choose another -o")


def _file(name: str) -> str:
    return (PAGE / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
