"""The HTTP part: who may ask, how much, and what they get. It knows no model."""

import json
import re
import select
import socket
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Iterator, Optional, Protocol

from .requests import Limits, Refused, read_speech, read_transcription

LOOPBACK = "127.0.0.1"
# Of OpenAI's `pcm` format.
PCM_RATE = 24_000
# For how long a refused client may send, and pause: as long as a busy machine or a large body takes.
LINGER_SECONDS = 10.0
LINGER_PAUSE_SECONDS = 5.0


class Engines(Protocol):
    """The models. Each method is called by one thread at a time."""

    def transcribe(self, audio: bytes) -> str:
        """Returns the words in a WAV file."""

    def speak(self, text: str, speed: float) -> Iterator[bytes]:
        """Returns the sound sentence by sentence: 16 bits, 24 kHz, one channel."""


class Places:
    """The requests of one endpoint: so many at the same time, of which one at a time uses the model."""

    def __init__(self, limit: int) -> None:
        self._free = threading.BoundedSemaphore(limit)
        self.model = threading.Lock()

    @contextmanager
    def place(self) -> Iterator[None]:
        if not self._free.acquire(blocking=False):
            raise Refused(429, "too_many_requests", "Too many requests at once: try again in a second.")
        try:
            yield
        finally:
            self._free.release()


class SpeechServer(ThreadingHTTPServer):
    """Listens on loopback. Answers 503 until `engines` is set."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, port: int, limits: Limits = Limits()) -> None:
        super().__init__((LOOPBACK, port), Handler)
        self.limits = limits
        self.engines: Optional[Engines] = None
        self.hearing = Places(limits.requests)
        self.speaking = Places(limits.requests)
        self.connections = threading.BoundedSemaphore(limits.connections)
        names = (LOOPBACK, "localhost")
        self.hosts = {f"{name}:{self.server_address[1]}" for name in names}

    def process_request(self, request, client_address) -> None:
        if self.connections.acquire(blocking=False):
            super().process_request(request, client_address)
            return
        body = Refused(503, "too_many_connections", "Too many connections.").body()
        head = f"HTTP/1.1 503 Busy\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: {len(body)}\r\n\r\n"
        try:
            request.settimeout(1)
            request.sendall(head.encode() + body)
        except OSError:
            pass
        self.shutdown_request(request)

    def process_request_thread(self, request, client_address) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.connections.release()

    def handle_error(self, request, client_address) -> None:
        """A client that went away is no error of ours."""


class Handler(BaseHTTPRequestHandler):
    server: SpeechServer
    protocol_version = "HTTP/1.1"
    server_version = "speech"
    sys_version = ""

    def setup(self) -> None:
        self.timeout = self.server.limits.idle_seconds
        super().setup()

    def do_GET(self) -> None:
        self._answer({"/health": self._health, "/models": self._models})

    def do_POST(self) -> None:
        self._answer({"/audio/transcriptions": self._transcribe, "/audio/speech": self._speak})

    def _answer(self, routes) -> None:
        began = time.monotonic()
        self._status = 0
        try:
            self._check_sender()
            route = routes.get(self.path.split("?")[0].removeprefix("/v1"))
            if route is None:
                raise Refused(404, "not_found", "There is no such endpoint.")
            route()
        except Refused as refusal:
            self.close_connection = True
            headers = {"retry-after": "1"} if refusal.status in (429, 503) else {}
            self._send(refusal.status, "application/json", refusal.body(), headers)
            self._linger()
        except OSError:
            self.close_connection = True
        except Exception as error:
            self.close_connection = True
            print(f"{type(error).__name__}: {error}", flush=True)
            if self._status == 0:
                failure = Refused(500, "failed", "The model failed: the server's log says how.")
                self._send(500, "application/json", failure.body())
        # No words: what people say stands in no log.
        ms = round((time.monotonic() - began) * 1000)
        print(f"{self.command} {self.path[:60]!r} {self._status} {ms} ms", flush=True)

    def _check_sender(self) -> None:
        """A web page reaches loopback by a name of its own (DNS rebinding), or sends blindly with its origin."""
        if self.headers.get("host", "").lower() not in self.server.hosts:
            raise Refused(403, "foreign_host", "This server answers to its loopback address only.")
        if self.headers.get("origin") is not None:
            raise Refused(403, "foreign_origin", "This server does not answer web pages.")

    def _linger(self) -> None:
        """Reads for a moment what the client still sends: closing at once would break the connection before it reads."""
        self.connection.settimeout(LINGER_PAUSE_SECONDS)
        deadline = time.monotonic() + LINGER_SECONDS
        try:
            self.connection.shutdown(socket.SHUT_WR)
            while time.monotonic() < deadline and self.rfile.read1(65_536):
                pass
        except OSError:
            pass

    def _health(self) -> None:
        self._ready()
        self._send_json({"status": "ok"})

    def _models(self) -> None:
        models = [{"id": name, "object": "model"} for name in ("whisper-1", "tts-1")]
        self._send_json({"object": "list", "data": models})

    def _transcribe(self) -> None:
        engines, limits = self._ready(), self.server.limits
        with self.server.hearing.place():
            body = self._body(limits.audio_bytes)
            request = read_transcription(self.headers.get("content-type", ""), body, limits)
            with self.server.hearing.model:
                self._check_client()
                text = engines.transcribe(request.audio)
        if request.form == "text":
            self._send(200, "text/plain; charset=utf-8", text.encode())
        else:
            more = {"language": "english", "duration": request.seconds}
            self._send_json({"text": text, **(more if request.form == "verbose_json" else {})})

    def _speak(self) -> None:
        engines, limits = self._ready(), self.server.limits
        with self.server.speaking.place():
            body = self._body(limits.text_bytes)
            request = read_speech(self.headers.get("content-type", ""), body, limits)
            sentences = engines.speak(request.text, request.speed)
            if request.form == "wav":
                sound = b"".join(self._each(sentences))
                self._send(200, "audio/wav", wav_header(len(sound)) + sound)
                return
            # The first sentence is sent while the next one is still to be made.
            first = next(self._each(sentences), b"")
            self._begin(200, {"content-type": "audio/pcm", "transfer-encoding": "chunked"})
            self._send_chunk(first)
            for sound in self._each(sentences):
                self._send_chunk(sound)
            self.wfile.write(b"0\r\n\r\n")

    def _each(self, sentences: Iterator[bytes]) -> Iterator[bytes]:
        """Makes sentence after sentence. Between two of them other requests have their turn, and a slow reader blocks nobody."""
        while True:
            with self.server.speaking.model:
                self._check_client()
                sound = next(sentences, None)
            if sound is None:
                return
            yield sound

    def _ready(self) -> Engines:
        if self.server.engines is None:
            raise Refused(503, "starting", "The models are still being loaded: try again in a second.")
        return self.server.engines

    def _check_client(self) -> None:
        """Spares the work for a client that has gone, as after an interruption."""
        readable, _, _ = select.select([self.connection], [], [], 0)
        if readable and not self.connection.recv(1, socket.MSG_PEEK):
            raise ConnectionError("the client has gone")

    def _body(self, limit: int) -> bytes:
        too_large = Refused(413, "body_too_large", f"The body has more than {limit} bytes.")
        deadline = time.monotonic() + self.server.limits.arrival_seconds
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            body = b""
            while size := self._chunk_size():
                if len(body) + size > limit:
                    raise too_large
                if time.monotonic() > deadline:
                    raise too_slow()
                body += self._read(size, deadline)
                self.rfile.readline(3)
            self.rfile.readline(3)
            return body
        length = self.headers.get("content-length", "")
        if not (length.isascii() and length.isdigit()):
            raise Refused(411, "no_length", "The request has no content-length.")
        if int(length[:20]) > limit:
            raise too_large
        return self._read(int(length), deadline)

    def _chunk_size(self) -> int:
        line = self.rfile.readline(20).split(b";")[0].strip()
        if not re.fullmatch(rb"[0-9a-fA-F]{1,8}", line):
            raise Refused(400, "bad_chunk", "The body is broken.")
        return int(line, 16)

    def _read(self, size: int, deadline: float) -> bytes:
        parts = []
        while size > 0:
            part = self.rfile.read1(min(size, 65_536))
            if not part:
                raise ConnectionError("the client has gone")
            parts.append(part)
            size -= len(part)
            if size > 0 and time.monotonic() > deadline:
                raise too_slow()
        return b"".join(parts)

    def _send_json(self, value: object) -> None:
        self._send(200, "application/json", json.dumps(value).encode())

    def _send(self, status: int, content_type: str, body: bytes, headers: dict[str, str] = {}) -> None:
        try:
            self._begin(
                status, {"content-type": content_type, "content-length": str(len(body)), **headers}
            )
            self.wfile.write(body)
        except OSError:
            self.close_connection = True

    def _begin(self, status: int, headers: dict[str, str]) -> None:
        self._status = status
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        idle = int(self.server.limits.idle_seconds)
        if self.close_connection:
            self.send_header("connection", "close")
        else:
            self.send_header("keep-alive", f"timeout={idle}")
        self.end_headers()

    def _send_chunk(self, chunk: bytes) -> None:
        if chunk:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))

    def log_message(self, format: str, *args: object) -> None:
        """Each request is one line of ours."""


def too_slow() -> Refused:
    return Refused(408, "too_slow", "The request took too long to arrive.")


def wav_header(size: int) -> bytes:
    number = lambda value, width: value.to_bytes(width, "little")  # noqa: E731
    return b"".join(
        [
            *(b"RIFF", number(36 + size, 4), b"WAVEfmt ", number(16, 4), number(1, 2), number(1, 2)),
            *(number(PCM_RATE, 4), number(PCM_RATE * 2, 4), number(2, 2), number(16, 2)),
            *(b"data", number(size, 4)),
        ]
    )
