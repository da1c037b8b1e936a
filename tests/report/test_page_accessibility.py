"""The page as axe-core judges it, if it is installed: ``npm install axe-core`` in this repository.

Any folder of modules that ``NODE_PATH`` names does as well.
"""

import os
from pathlib import Path

import pytest

from tests.report.browser import NEEDS_CHROMIUM, emulate, every, until

MODULES = [
    Path(__file__).parents[2] / "node_modules",
    *(Path(folder) for folder in os.environ.get("NODE_PATH", "").split(os.pathsep) if folder),
    Path("/usr/local/lib/node_modules"),
    Path("/usr/lib/node_modules"),
]
AXE = next((p for m in MODULES if (p := m / "axe-core" / "axe.min.js").is_file()), None)
pytestmark = [
    *NEEDS_CHROMIUM,
    pytest.mark.skipif(AXE is None, reason="needs axe-core (npm install axe-core)"),
]
JUDGE = """
const done = arguments[arguments.length - 1];
document.querySelectorAll("details").forEach((details) => { details.open = true; });
axe.run(document, { resultTypes: ["violations"] }).then(({ passes, violations }) => done({
  passes: passes.length,
  violations: violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))]),
}));
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", ["page_path", "phrases_page_path", "changed_page"])
def test_axe_finds_nothing(chromium, request, name, width, scheme):
    emulate(chromium, scheme=scheme, width=width)
    chromium.get(request.getfixturevalue(name).as_uri())
    until(chromium, lambda driver: every(driver, "#map circle"))
    chromium.set_script_timeout(900)
    chromium.execute_script(AXE.read_text(encoding="utf-8"))
    judged = chromium.execute_async_script(JUDGE)
    assert judged["violations"] == []
    assert judged["passes"] > 30  # it did look
