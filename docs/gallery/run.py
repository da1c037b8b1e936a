"""Runs a gallery script cell by cell, and writes its words, code and output as a page beside it.

python docs/gallery/run.py docs/gallery/news_in_five_minutes.py
"""

import io
import re
import sys
from contextlib import redirect_stdout
from pathlib import Path


def page(script: Path) -> str:
    """The page of a script: comments at the top of a cell are text, the rest is code and output."""
    title, *cells = re.split(r"^# %%\n", script.read_text(encoding="utf-8"), flags=re.MULTILINE)
    parts = [title.strip().strip('"').strip()]
    parts.append(
        f"*Written by `python docs/gallery/run.py docs/gallery/{script.name}`; "
        "everything below is what it printed.*"
    )
    names: dict[str, object] = {"__name__": "__main__"}
    for cell in cells:
        comment = re.match(r"(#.*\n)*", cell)
        assert comment is not None
        code = cell[comment.end() :].strip()
        parts.append(re.sub(r"^# ?", "", comment.group(), flags=re.MULTILINE).strip())
        if not code:
            continue
        parts.append(f"```python\n{code}\n```")
        with redirect_stdout(io.StringIO()) as output:
            exec(compile(code, str(script), "exec"), names)
        if output.getvalue():
            parts.append(f"```text\n{output.getvalue().rstrip()}\n```")
    return "\n\n".join(part for part in parts if part) + "\n"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        Path(name).with_suffix(".md").write_text(page(Path(name)), encoding="utf-8")
