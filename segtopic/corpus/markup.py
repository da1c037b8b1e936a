"""HTML in running text: a text in, a text of the same length out in which HTML is no word.

Every character keeps its place, so that offsets into the result are offsets into the original. A
tag that begins a line or a block becomes a mark, which ends a span; a tag within a line becomes
space, or fillers that a word may hold (``H<sub>2</sub>O`` is one word). An entity becomes its
character. Only what is HTML for certain is touched: elements that exist, with attributes as HTML
writes them; ``if a <b and c> d`` stays.

>>> found = without_html("AT&amp;T said:<br />caf&eacute;s &lt; 5")
>>> found.tags, found.entities, len(found.text)
(1, 3, 39)
>>> found.text.replace(FILLER, "").split()
['AT&amp;T', 'said:<', 'cafés', '<', '5']
"""

import re
from html import unescape
from html.entities import html5
from typing import NamedTuple

FILLER = "\u00ad"
"""A soft hyphen: invisible, and inside a word no part of its spelling."""

MARK_SIGN = "<"  # to the tokeniser a mark, wherever it stands
LONGEST_FILL = 40  # characters of a tag between two letters; a piece of text has to stay short

# Tags that stand between the letters of a word, other tags within a line, and all that end one.
_LETTERS = "b bold em i italic small strong sub u wbr"
_LINE = """
a abbr acronym big cite code del dfn font ins kbd mark math mi mn mo mrow msub msup mtext nobr q s
samp sc span strike sup tt underline var xref
"""
_BLOCK = """
abstract address area article aside audio base blockquote body br button canvas caption center col
colgroup dd details dialog div dl dt embed fieldset figcaption figure footer form frame frameset h1
h2 h3 h4 h5 h6 head header hr html iframe img input label legend li link list main map meta nav
noscript object ol optgroup option p param picture pre script sec section select source style
summary svg table tbody td textarea tfoot th thead time title tr track ul video
"""
_IN_WORDS = frozenset(_LETTERS.split())
_IN_LINES = _IN_WORDS | frozenset(_LINE.split())
_BLOCKS = frozenset(_BLOCK.split())
_WITH_CONTENT = {name: re.compile(rf"</{name}\b", re.IGNORECASE) for name in ("script", "style")}

_QUOTE = r"&(?:quot|\#34|\#39|apos);"
_VALUE = (
    rf"""(?:"[^"]{{0,2000}}+"|'[^']{{0,2000}}+'|{_QUOTE}[^<>]{{0,2000}}?{_QUOTE}|[^\s"'<>=&`]++)"""
)
_ALONE = (
    "allowfullscreen|async|autoplay|checked|compact|controls|defer|disabled|hidden|loop|multiple|"
    "muted|noshade|nowrap|open|readonly|required|reversed|selected"
)
_MARKUP = re.compile(
    r"(?P<comment><!--)|(?P<declaration><!\[CDATA\[|<(?:!DOCTYPE|\?xml)[^<>]{0,500}+>)"
    r"|(?P<tag>(?:<|&lt;)/?(?P<name>[A-Za-z][A-Za-z0-9]*+(?:[:-][A-Za-z][A-Za-z0-9-]*+)?+)"
    rf"(?:\s++(?:[A-Za-z_:][\w:.-]*+\s*+=\s*+{_VALUE}|(?:{_ALONE})(?=[\s/>&])))*+\s*+/?(?:>|&gt;))"
    r"|&(?:amp;)*(?P<entity>[A-Za-z][A-Za-z0-9]*+|\#[0-9]{1,7}+|\#[xX][0-9A-Fa-f]{1,6}+);",
    re.IGNORECASE,
)


class WithoutHtml(NamedTuple):
    """A text of the same length, and what was found in it."""

    text: str
    tags: int = 0
    entities: int = 0


def as_seen(text: str) -> str:
    """The text as its page would show it, in one line; places change.

    >>> as_seen("<p>AT&amp;T said:<br />caf&eacute;s, H<sub>2</sub>O &lt; 5</p>")
    'AT&T said: cafés, H2O < 5'
    """
    seen = without_html(text, mark=" ").text.replace(FILLER, "").replace("&amp;", "&")
    return " ".join(seen.split())


def without_html(text: str, mark: str = MARK_SIGN) -> WithoutHtml:
    """The text with tags and entities made harmless; the very text if there are none.

    Args:
        text: any.
        mark: what becomes of a tag that ends a span, one character.
    """
    if "<" not in text and "&" not in text:
        return WithoutHtml(text)
    scanner = _Scanner(text, mark)
    position = 0
    while found := _MARKUP.search(text, position):
        position = scanner.take(found)
    return scanner.finished()


class _Scanner:
    """Builds the new text from left to right."""

    def __init__(self, text: str, mark: str) -> None:
        self._text = text
        self._mark = mark
        self._pieces: list[str] = []
        self._done = self._tags = self._entities = 0
        self._searched_in_vain: set[str] = set()  # ends that do not come any more

    def finished(self) -> WithoutHtml:
        self._pieces.append(self._text[self._done :])
        return WithoutHtml("".join(self._pieces), self._tags, self._entities)

    def take(self, found: re.Match[str]) -> int:
        """Deal with what was found; returns where to look next."""
        if entity := found["entity"]:
            return self._entity(found, entity)
        end = found.end()
        if found["comment"]:
            end = self._end_of("-->", end)
            if not end:
                return found.end()
        elif found["tag"]:
            name = found["name"].lower()
            own = name.rpartition(":")[2]  # <jats:italic> is as <italic>
            if own in _IN_LINES:
                return self._replace(found.start(), end, self._in_line(found, own))
            if own not in _BLOCKS and own == name:
                return end
            if name in _WITH_CONTENT and re.match("<[^/]", found[0]):
                end = self._end_of(name, end) or end
        return self._replace(found.start(), end, self._mark.ljust(end - found.start()))

    def _replace(self, start: int, end: int, by: str) -> int:
        self._tags += 1
        return self._put(start, end, by)

    def _put(self, start: int, end: int, by: str) -> int:
        self._pieces += (self._text[self._done : start], by)
        self._done = end
        return end

    def _in_line(self, found: re.Match[str], name: str) -> str:
        start, end = found.span()
        within = self._follows_letter(start) and self._text[end : end + 1].isalnum()
        fills = within and name in _IN_WORDS and end - start <= LONGEST_FILL
        return (FILLER if fills else " ") * (end - start)

    def _entity(self, found: re.Match[str], entity: str) -> int:
        start, end = found.span()
        if not entity.startswith("#") and f"{entity};" not in html5:
            return end
        self._entities += 1
        if found[0] == "&amp;":  # which the tokeniser knows: AT&amp;T is a word
            return end
        character, length = unescape(f"&{entity};"), end - start
        if character in ("'", "\u2019", "-", "\u2010", "\u2011", "&") and self._follows_letter(
            start
        ):
            by = character.rjust(length, FILLER)
        elif character == FILLER or (character and character[0].isalnum()):
            by = character.ljust(length, FILLER)
        else:
            by = ("" if character.isspace() else character).ljust(length)
        return self._put(start, end, by)

    def _follows_letter(self, start: int) -> bool:
        """Whether a letter, or what fills a word up, stands before a place."""
        if start > self._done:
            before = self._text[start - 1]
        else:
            before = self._pieces[-1][-1:] if self._pieces else ""
        return before.isalnum() or before == FILLER

    def _end_of(self, what: str, start: int) -> int:
        """Behind the end of a comment, or before the closing tag; 0 if it does not come."""
        if what in self._searched_in_vain:
            return 0
        if what in _WITH_CONTENT:
            found = _WITH_CONTENT[what].search(self._text, start)
            end = found.start() if found else 0
        else:
            end = self._text.find(what, start) + len(what)
            end = end if end >= start + len(what) else 0
        if not end:
            self._searched_in_vain.add(what)
        return end
