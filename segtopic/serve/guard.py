"""Who may ask, and how much: requests in, refusals out, or the request handed on.

- **Host**: a page of another site can have its own name point to this machine (DNS rebinding), and
  then read what the server answers. The browser still tells the name it was given, so only the
  names of this server pass. Where the server listens everywhere, so does any plain address.
- **Token**: the first part of every path. Other users of the machine, and pages in the browser,
  can reach the port, but do not know the token.
- **Size and time**: of a body, before anything of it is parsed.

Every answer forbids the browser to load, send or frame anything but this server's own. There are
no headers that would let another site read an answer.
"""

import asyncio
import ipaddress
import json
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

SECONDS_FOR_A_BODY = 30.0
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
_ENCODED = [(name.encode(), value.encode()) for name, value in HEADERS.items()]


class Refused(Exception):
    """A request that is not handed on: a status and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Guard:
    """Stands before an ASGI application.

    Args:
        app: behind it; finds the token in its ``root_path``.
        token: the first part of every path.
        host: where the server listens.
        most_bytes: of a body.
    """

    def __init__(self, app: App, token: str, host: str, most_bytes: int) -> None:
        self._app = app
        self._token = token
        self._host = host
        self._most_bytes = most_bytes

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Refuse a request, or hand it on with its whole body."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no web sockets here; the server closes the connection

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_ENCODED]
            await send(message)

        try:
            self._check_host(scope)
            self._check_token(scope)
            body = await self._body(scope, receive)
        except Refused as refused:
            await _refuse(refused, send_guarded)
            return
        scope = {**scope, "root_path": f"/{self._token}"}
        await self._app(scope, _Replay(body, receive), send_guarded)

    def _check_host(self, scope: Message) -> None:
        hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or not host_fits(hosts[0], self._host):
            raise Refused(421, "this server has another name; use the address that it printed")

    def _check_token(self, scope: Message) -> None:
        given = scope["path"].partition("/")[2].partition("/")[0]
        if not secrets.compare_digest(given.encode(), self._token.encode()):
            raise Refused(404, "the address has no valid token; use the one that was printed")

    async def _body(self, scope: Message, receive: Receive) -> bytes:
        too_large = Refused(
            413, f"the request has more than {self._most_bytes:,} bytes; send a shorter text"
        )
        told = dict(scope["headers"]).get(b"content-length", b"0")
        if not told.isdigit() or len(told) > 18 or int(told) > self._most_bytes:
            raise too_large
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(SECONDS_FOR_A_BODY):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise Refused(400, "the request broke off")
                    parts.append(message.get("body", b""))
                    size += len(parts[-1])
                    if size > self._most_bytes:
                        raise too_large
                    if not message.get("more_body", False):
                        return b"".join(parts)
        except TimeoutError:
            raise Refused(408, "the request took too long to arrive") from None


class _Replay:
    """A body that was received, once more."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def __call__(self) -> Message:
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}


async def _refuse(refused: Refused, send: Send) -> None:
    body = json.dumps({"detail": str(refused)}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),  # what is left of the body is not worth reading
    ]
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def host_fits(header: str, listening: str) -> bool:
    """Whether a Host header names a server that listens there.

    >>> [host_fits(h, "127.0.0.1") for h in ("127.0.0.1:80", "LOCALHOST", "evil.example")]
    [True, True, False]
    >>> [host_fits(h, "0.0.0.0") for h in ("10.0.0.1:80", "[::1]:80", "evil.example")]
    [True, True, False]
    """
    name, colon, port = header.rpartition(":")
    if not colon or port.endswith("]"):  # '[::1]' is all colons and no port
        name, port = header, ""
    if port and not (port.isascii() and port.isdigit()):
        return False
    name = name.lower().removeprefix("[").removesuffix("]")
    if name in (listening.lower(), "localhost"):
        return True
    address = _address(name)
    if address is None:
        return False
    own = _address(listening)
    if own is not None and own.is_unspecified:
        return True
    return address.is_loopback and (own is None or own.is_loopback)


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None
