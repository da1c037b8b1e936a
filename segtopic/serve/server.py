"""Where the page is served: a run and a port in, an address out, until Ctrl-C."""

import errno
import secrets
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from segtopic import __version__
from segtopic.config import ServeConfig
from segtopic.errors import ConfigError
from segtopic.runs import TrainedModel
from segtopic.serve.app import Served, application
from segtopic.serve.guard import Guard
from segtopic.serve.library import Library
from segtopic.serve.reader import Reader
from segtopic.serve.schema import RunFacts
from segtopic.serve.topics import LiveTopics
from segtopic.serve.workshop import Workshop

BYTES_OF_A_CHARACTER = 12  # the most that JSON makes of one: two escapes of six letters
BYTES_BESIDE_THE_TEXT = 1 << 17
MOST_CONNECTIONS = 256
SECONDS_TO_FINISH = 5  # after Ctrl-C

Stage = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class LiveServer:
    """A page that is ready to be served.

    Attributes:
        address: Of the page, token included.
        server: Of uvicorn.
        listening: The socket, open already, so that nobody else can take the port.
        workshop: Where texts are read.
    """

    address: str
    server: uvicorn.Server
    listening: socket.socket
    workshop: Workshop

    def run(self) -> None:
        """Serve until Ctrl-C."""
        try:
            self.server.run([self.listening])
        except KeyboardInterrupt:  # uvicorn hands it on when all is finished
            pass
        finally:
            self.workshop.close()
            self.listening.close()


def live_server(
    trained: TrainedModel, config: ServeConfig, stage: Stage = lambda what: None
) -> LiveServer:
    """Take the port, then learn what the page tells of the run.

    Args:
        trained: the run.
        config: where to listen, and what to read.
        stage: called with what is being done.
    """
    listening = _listen(config.host, config.port)
    try:
        served = _served(trained, config, stage)
    except BaseException:
        listening.close()
        raise
    token = secrets.token_urlsafe(24)
    app = Guard(
        application(served),
        token,
        config.host,
        BYTES_OF_A_CHARACTER * config.max_characters + BYTES_BESIDE_THE_TEXT,
    )
    settings = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,  # it would write the token down
        server_header=False,
        proxy_headers=False,
        ws="none",
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=SECONDS_TO_FINISH,
    )
    port = listening.getsockname()[1]
    name = f"[{config.host}]" if ":" in config.host else config.host
    address = f"http://{name}:{port}/{token}/"
    return LiveServer(address, uvicorn.Server(settings), listening, served.workshop)


def _served(trained: TrainedModel, config: ServeConfig, stage: Stage) -> Served:
    stage("naming the topics")
    topics = LiveTopics.of(trained)
    stage("reading the documents of the run")
    library = Library.of(trained)
    data = trained.config.data
    facts = RunFacts.model_validate(
        {
            "run": trained.name,
            "version": __version__,
            "max_segment_length": trained.config.max_segment_length,
            "max_characters": config.max_characters,
            "grammar": trained.corpus.grammar is not None,
            "topics": topics.described,
        }
    )
    return Served(
        corpus="standard input" if data == "-" else Path(data).name,
        facts=facts,
        topics=topics,
        library=library,
        reader=Reader(trained, topics, library, config.refine),
        workshop=Workshop(),
    )


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
    except OSError as error:
        raise ConfigError(f"host '{host}' is not known here ({error.strerror})") from None
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(place)
        listening.listen(MOST_CONNECTIONS)
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRINUSE:
            raise ConfigError(
                f"port {port} is taken; choose another with --port, or any free one with --port 0"
            ) from None
        raise ConfigError(
            f"port {port} of {host} cannot be opened ({error.strerror}); choose another"
        ) from None
    return listening
