"""Small things that make pages easier to read."""

import re
from typing import Any

from mkdocs.structure.pages import Page

_FLAG = re.compile(r"<code>(-[\w.-]{1,40})</code>")


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """A page that is alone in its tab needs no list of pages beside it."""
    if page.parent is None:
        page.meta["hide"] = ["navigation"]
    return markdown


def on_page_content(content: str, **_: Any) -> str:
    """A flag is not broken after its hyphens."""
    return _FLAG.sub(r'<code class="flag">\1</code>', content)
