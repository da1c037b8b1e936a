"""A page that is alone in its tab needs no list of pages beside it; its tables get the room."""

from typing import Any

from mkdocs.structure.pages import Page


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Called by mkdocs with each page."""
    if page.parent is None:
        page.meta["hide"] = ["navigation"]
    return markdown
