"""A hierarchy of topics as a picture: a tree and names in, lines for a terminal or SVG out.

>>> from segtopic.topics.tree import Merge
>>> tree = Tree(3, (Merge(0, 1, 0.01, (0, 1)), Merge(2, 3, 0.2, (2, 0, 1))))
>>> print("\\n".join(tree_lines(tree, ["bank", "money", "river"])))
0.200
├─ river
╰─ 0.010
   ├─ bank
   ╰─ money
"""

import html
from collections.abc import Iterator, Sequence

from segtopic.harmless import for_line, for_page
from segtopic.topics.tree import Tree

ROW, LEFT, WIDTH, TEXT = 22, 12, 360, 420


def tree_lines(tree: Tree, names: Sequence[str]) -> list[str]:
    """A line for every topic and every merge, which tells its height."""

    def below(place: int) -> Iterator[str]:
        if place < tree.n_topics:
            yield for_line(names[place])
            return
        merge = tree.merges[place - tree.n_topics]
        yield f"{merge.height:.3f}"
        for part, first, further in ((merge.left, "├─ ", "│  "), (merge.right, "╰─ ", "   ")):
            top, *rest = below(part)
            yield first + top
            yield from (further + line for line in rest)

    return list(below(2 * tree.n_topics - 2))


def tree_svg(tree: Tree, names: Sequence[str], shares: Sequence[float]) -> str:
    """The dendrogram; branches meet the further left, the more different they are."""
    rows = {place: row for row, place in enumerate(tree.leaves)}
    most = max((merge.height for merge in tree.merges), default=0.0) or 1.0
    places: dict[int, tuple[float, float]] = {
        place: (float(LEFT + WIDTH), (row + 1.0) * ROW) for place, row in rows.items()
    }
    paths = []
    for step, merge in enumerate(tree.merges):
        (x1, y1), (x2, y2) = places[merge.left], places[merge.right]
        x = LEFT + WIDTH * (1 - merge.height / most)
        paths.append(
            f'<path d="M{x1:.1f} {y1:.1f}H{x:.1f}V{y2:.1f}H{x2:.1f}">'
            f"<title>{merge.height:.3f}</title></path>"
        )
        places[tree.n_topics + step] = (x, (y1 + y2) / 2)
    texts = [
        f'<text x="{LEFT + WIDTH + 8}" y="{places[place][1] + 4:.1f}">'
        f"{html.escape(for_page(names[place]))} <tspan>{shares[place]:.1%}</tspan></text>"
        for place in tree.leaves
    ]
    width, height = LEFT + WIDTH + TEXT, (tree.n_topics + 1) * ROW
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-label="Hierarchy of topics">\n'
        f"<style>{_STYLE}</style>\n" + "\n".join([*paths, *texts]) + "\n</svg>\n"
    )


def tree_page(svg: str) -> str:
    """The dendrogram as a page that loads nothing and runs nothing."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        "<title>Hierarchy of topics</title>\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        "<style>:root { color-scheme: light dark; } svg { max-width: 100%; height: auto; }</style>"
        f"</head>\n<body><h1>Hierarchy of topics</h1>\n{svg}</body></html>\n"
    )


_STYLE = (
    "path { fill: none; stroke: #2a7f7a; stroke-width: 1.5 } "
    "text { font: 13px system-ui, sans-serif; fill: #222 } tspan { fill: #767676 } "
    "@media (prefers-color-scheme: dark) { text { fill: #eee } tspan { fill: #a0a0a0 } }"
)
