"""``segtopic serve`` as a user types it: a real port, a crowd, Ctrl-C."""

import signal
import socket
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from segtopic.cli import main
from tests.serve.serving import serving
from tests.training.planted import planted_texts

# A loopback address that is bound to is looked up; everything else would lead away.
HARMLESS = "socket.getaddrinfo ('127.0.0.1',)"


def ending(process):
    """What the process says in the end, after Ctrl-C."""
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    return errors


def test_a_crowd_then_the_end(run):
    texts, _ = planted_texts(50, seed=4)
    with serving(run.folder) as (process, address):

        def ask(text):
            with httpx.Client(trust_env=False, timeout=300) as client:
                answer = client.post(f"{address}api/segment", json={"text": text[:150]})
                return answer.status_code, answer.json().get("text")

        with ThreadPoolExecutor(50) as crowd:
            answers = list(crowd.map(ask, texts))
        assert answers == [(200, text[:150]) for text in texts]
        errors = ending(process)
        assert process.returncode == 0
    assert errors.endswith("segtopic: ended\n")
    assert "Traceback" not in errors
    outward = [line for line in errors.splitlines() if line.startswith("OUTWARD")]
    assert [line for line in outward if HARMLESS not in line] == []


def test_broken_connections_do_not_stop_it(run):
    with serving(run.folder) as (process, address):
        port = int(address.split(":")[2].split("/")[0])
        path = "/" + address.split("/", 3)[3]
        rubbish = [
            b"\x16\x03\x01\x02\x00\x01\x00",  # a handshake of TLS
            b"GET / HTTP/9.9\r\n\r\n",
            b"GET " + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n",
            b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
            f"POST {path}api/read HTTP/1.1\r\nHost: localhost\r\n".encode()
            + b"Content-Length: 99999999999999999999\r\n\r\n",
            f"POST {path}api/read HTTP/1.1\r\nHost: localhost\r\n".encode()
            + b"Content-Length: 50\r\n\r\n{",
            f"GET {path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n".encode()
            + b"Connection: Upgrade\r\nSec-WebSocket-Key: eA==\r\n"
            + b"Sec-WebSocket-Version: 13\r\n\r\n",
        ]
        for sent in rubbish:
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(sent)
        with httpx.Client(trust_env=False, timeout=300) as client:
            assert client.get(f"{address}api/run").status_code == 200
        assert "Traceback" not in ending(process)


def test_a_port_that_is_taken_is_one_sentence(run, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", str(run.folder), "--port", str(port)]) == 2
    errors = capsys.readouterr().err
    assert errors == (
        f"segtopic: port {port} is taken; choose another with --port, or any free one with "
        "--port 0\n"
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--port", "70000"], "port is 70000, but must be at most 65535"),
        (["--host", "no.such.host.invalid"], "host 'no.such.host.invalid' is not known here"),
        (["--max-characters", "0"], "max_characters is 0"),
    ],
)
def test_mistakes_are_one_sentence(run, capsys, arguments, sentence):
    assert main(["serve", str(run.folder), *arguments]) == 2
    errors = capsys.readouterr().err
    assert sentence in errors
    assert errors.count("\n") == 1


def test_a_missing_extra_is_named(run, capsys, monkeypatch):
    monkeypatch.setattr("segtopic.commands.serve.find_spec", lambda name: None)
    assert main(["serve", str(run.folder)]) == 2
    assert "pip install segtopic[serve]" in capsys.readouterr().err
