"""Docstrings as Markdown: examples become blocks of code, cross-references become links.

The docstrings are read by people in the source, by ``help()`` and by doctest first. Two of their
habits are not Markdown: examples stand bare (``>>>``), and names of other things are written
``:func:`name```.
"""

import re
from typing import Any

from griffe import Extension, Object

_EXAMPLE = re.compile(r"^( *)>>> .*(?:\n(?!\s*$).*)*", re.MULTILINE)
_FLAG = re.compile(r" *# doctest: .*")
_REFERENCE = re.compile(r":(?:mod|class|func|meth|attr|data):`(~?)([\w.]+)`")


class Markdown(Extension):
    """Rewrites the docstring of everything that is shown."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Called by griffe with each module, class and function."""
        if obj.docstring is not None:
            text = _REFERENCE.sub(lambda found: _link(obj, found), obj.docstring.value)
            obj.docstring.value = _EXAMPLE.sub(_block, text)


def _link(obj: Object, found: re.Match[str]) -> str:
    """The last part of a name; a link where the name is shown on some page."""
    name = found[2]
    target = name if name.startswith("segtopic.") else f"{_owner(obj).path}.{name}"
    shown = name if name.startswith("segtopic.") and not found[1] else name.rpartition(".")[2]
    return f'<autoref identifier="{target}" optional><code>{shown}</code></autoref>'


def _owner(obj: Object) -> Object:
    """The class or module in whose words an object speaks of others."""
    return obj.parent if obj.is_function and obj.parent is not None else obj


def _block(found: re.Match[str]) -> str:
    return f"{found[1]}```pycon\n{_FLAG.sub('', found[0])}\n{found[1]}```"
