"""Files on other file systems, and pieces of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segtopic.files import storage
from segtopic.files.storage import Storage, fetched


@pytest.mark.parametrize("remote", [False, True])
def test_files_are_written_read_and_removed(tmp_path, remote):
    folder = Storage.at(f"memory://test/{tmp_path.name}" if remote else str(tmp_path / "new"))
    assert folder.names() == []
    folder.write("a", b"1")
    folder.write("below/b", b"2")
    assert folder.names() == ["a"]
    assert folder.read("below/b") == b"2"
    folder.remove("below")
    folder.remove("nothing")
    assert not folder.exists("below/b")


@given(
    lines=st.lists(st.text("ab", max_size=5), max_size=8),
    last_has_end=st.booleans(),
    cuts=st.lists(st.integers(0, 40), max_size=4),
    block=st.integers(1, 7),
)
def test_every_line_is_in_one_piece(tmp_path_factory, lines, last_has_end, cuts, block):
    """However a file is cut, its pieces together are the file, and none begins inside a line."""
    content = "\n".join(lines) + ("\n" if last_has_end else "")
    path = tmp_path_factory.mktemp("pieces") / "x.jsonl"
    path.write_text(content)
    borders = sorted({0, *(cut for cut in cuts if cut < len(content))})
    pieces = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(storage, "BLOCK", block)
        for begin, end in zip(borders, [*borders[1:], max(len(content), 1)], strict=True):
            with fetched(str(path), begin, end) as piece:
                pieces.append(piece.read_text())
    assert "".join(pieces) == content
    for earlier in pieces[:-1]:
        assert earlier == "" or earlier.endswith("\n") or not content.endswith("\n")
