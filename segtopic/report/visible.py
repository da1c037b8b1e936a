"""Text that cannot hide anything: characters without a picture become visible, one for one.

Control characters, halves of surrogate pairs, and characters that would turn the direction of the
text around them become placeholders. Every character stays one character, so places in the text
stay where they are.

>>> visible("a\\x00b\\u202ec")
'a�b⇄c'
"""

REVERSAL = "⇄"  # in place of a bidirectional embedding, override or isolate
UNREADABLE = "\ufffd"

_PICTURES: dict[int, str] = {
    **dict.fromkeys([*range(0x20), *range(0x7F, 0xA0)], UNREADABLE),
    **{ord("\t"): "\t", ord("\n"): "\n", ord("\r"): " "},
    **dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)], REVERSAL),
    **dict.fromkeys(range(0xD800, 0xE000), UNREADABLE),
}


def visible(text: str) -> str:
    """The text as it may stand on the page."""
    return text.translate(_PICTURES)


def utf16_length(text: str) -> int:
    """How long a browser finds a visible text."""
    return len(text) + sum(character > "\uffff" for character in text)
