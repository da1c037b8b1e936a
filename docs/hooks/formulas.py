"""Formulas as MathML, which browsers show by themselves: no script, no fonts from elsewhere.

arithmatex marks what stands between dollar signs; here each mark becomes a formula.
"""

import html
import re
from typing import Any

from latex2mathml.converter import convert

_INLINE = re.compile(r'<span class="arithmatex">\\\((.*?)\\\)</span>', re.DOTALL)
_BLOCK = re.compile(r'<div class="arithmatex">\s*\\\[(.*?)\\\]\s*</div>', re.DOTALL)


def on_page_content(content: str, **_: Any) -> str:
    """Called by mkdocs with the HTML of a page."""
    content = _INLINE.sub(lambda found: _mathml(found[1], "inline"), content)
    return _BLOCK.sub(
        lambda found: f'<div class="formula">{_mathml(found[1], "block")}</div>', content
    )


def _mathml(formula: str, display: str) -> str:
    return str(convert(html.unescape(formula).strip(), display=display))
