"""Archives: plain files only, inside the folder only, and not too many bytes."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile

import pytest

from segtopic.corpus import archive
from segtopic.corpus.archive import extract
from segtopic.corpus.textfiles import open_bytes
from segtopic.errors import CorpusError


def make_tar(path, *members):
    with tarfile.open(path, "w:gz") as tar:
        for name, kind, content in members:
            info = tarfile.TarInfo(name)
            info.type = kind
            if kind == tarfile.REGTYPE:
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content))
            else:
                info.linkname = content
                tar.addfile(info)
    return path


FILE = tarfile.REGTYPE


def refused(path, folder, *parts):
    with pytest.raises(CorpusError) as caught:
        extract(path, folder)
    for part in parts:
        assert part in str(caught.value)
    assert not folder.exists()


def test_plain_files_come_out(tmp_path):
    path = make_tar(
        tmp_path / "t.tgz", ("d", tarfile.DIRTYPE, ""), ("d/a.txt", FILE, b"x"), ("b", FILE, b"yy")
    )
    extract(path, tmp_path / "out")
    assert (tmp_path / "out/d/a.txt").read_bytes() == b"x"
    assert (tmp_path / "out/b").read_bytes() == b"yy"


@pytest.mark.parametrize("name", ["../evil", "/tmp/evil", "a/../../evil", "..\\evil", "C:\\evil"])
def test_path_escapes_are_refused(tmp_path, name):
    path = make_tar(tmp_path / "t.tgz", ("good", FILE, b"x"), (name, FILE, b"x"))
    refused(path, tmp_path / "out", "outside the folder")
    zipped = tmp_path / "t.zip"
    with zipfile.ZipFile(zipped, "w") as file:
        file.writestr(name, b"x")
    refused(zipped, tmp_path / "out", "outside the folder")
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE]
)
def test_links_and_devices_are_refused(tmp_path, kind):
    path = make_tar(tmp_path / "t.tgz", ("a", FILE, b"x"), ("link", kind, "/etc/passwd"))
    refused(path, tmp_path / "out", "'link' is a link or a device")


def test_links_in_zip_files_are_refused(tmp_path):
    path = tmp_path / "t.zip"
    with zipfile.ZipFile(path, "w") as zipped:
        info = zipfile.ZipInfo("link")
        info.external_attr = 0o120777 << 16
        zipped.writestr(info, "/etc/passwd")
    refused(path, tmp_path / "out", "'link' is a link or a device")


def test_bombs_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MOST_BYTES", 1000)
    refused(
        make_tar(tmp_path / "t.tgz", ("a", FILE, b"0" * 2000)), tmp_path / "out", "unpacks to more"
    )
    monkeypatch.setattr(archive, "MOST_FILES", 1)
    two = make_tar(tmp_path / "u.tgz", ("a", FILE, b"0"), ("b", FILE, b"0"))
    refused(two, tmp_path / "out", "more than 1 files")


@pytest.mark.parametrize(("packer", "suffix"), [(gzip, "gz"), (bz2, "bz2"), (lzma, "xz")])
def test_packed_files_are_bounded(tmp_path, monkeypatch, packer, suffix):
    path = tmp_path / f"t.lines.{suffix}"
    path.write_bytes(packer.compress(b"word " * 1000 + b"\n"))
    with open_bytes(path) as stream:
        assert len(stream.read(10_000)) == 5001
    monkeypatch.setattr(archive, "MOST_BYTES", 1000)
    with pytest.raises(CorpusError, match="unpacks to more"), open_bytes(path) as stream:
        stream.read(10_000)


def test_damaged_archives(tmp_path):
    whole = make_tar(tmp_path / "t.tgz", ("a", FILE, bytes(range(256)) * 100)).read_bytes()
    for name, content in (("cut.tgz", whole[:100]), ("no.tgz", b"text"), ("no.zip", b"text")):
        (tmp_path / name).write_bytes(content)
        refused(tmp_path / name, tmp_path / "out", "cannot be unpacked")
    twice = make_tar(tmp_path / "w.tgz", ("a", FILE, b"1"), ("a", FILE, b"2"))
    refused(twice, tmp_path / "out", "twice")
