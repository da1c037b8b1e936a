"""JSON that may stand inside a script element of HTML: no text in it can end the element.

>>> as_json({"text": "</script>"})
'{"text":"\\\\u003c/script\\\\u003e"}'
"""

import json
from typing import Any

_ESCAPES = {
    ord("<"): "\\u003c",
    ord(">"): "\\u003e",
    ord("&"): "\\u0026",
    0x2028: "\\u2028",
    0x2029: "\\u2029",
}


def as_json(values: Any) -> str:
    """Compact, and strict: no NaN."""
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.translate(_ESCAPES)
