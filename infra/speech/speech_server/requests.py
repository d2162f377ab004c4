"""What clients may send, and the errors that they get."""

import io
import json
import re
import wave
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Limits:
    """What one request, and all requests together, may take."""

    audio_bytes: int = 25_000_000
    audio_seconds: float = 120.0
    text_characters: int = 4096
    text_bytes: int = 65_536
    # Requests of one endpoint that are answered or wait at the same time.
    requests: int = 8
    connections: int = 64
    # For how long a connection may be silent, and how long a request may take to arrive.
    idle_seconds: float = 30.0
    arrival_seconds: float = 30.0


class Refused(Exception):
    """A request that is not answered: the status, a code for programs, and a sentence for people."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code

    def body(self) -> bytes:
        kind = "server_error" if self.status >= 500 else "invalid_request_error"
        error = {"message": str(self), "type": kind, "param": None, "code": self.code}
        return json.dumps({"error": error}).encode()


def read_form(content_type: str, body: bytes) -> dict[str, bytes]:
    """Returns the parts of a multipart form by their names."""
    boundary = re.search(r'boundary="?([^";]{1,100})"?', content_type)
    if not content_type.lower().startswith("multipart/form-data") or not boundary:
        raise Refused(415, "no_form", "Send the audio as multipart/form-data.")
    fields: dict[str, bytes] = {}
    # Each part stands between two boundaries, with a line end before the second one.
    for part in (b"\r\n" + body).split(b"\r\n--" + boundary[1].encode())[1:]:
        head, separator, content = part.partition(b"\r\n\r\n")
        name = re.search(rb'[; ]name="([^"]{1,100})"', head)
        if separator and name:
            fields[name[1].decode("utf-8", "replace")] = content
    return fields


def check_wav(audio: bytes, limits: Limits) -> float:
    """Returns the length of a WAV file in seconds. Throws `Refused` for anything else, and for audio that is too long."""
    try:
        with wave.open(io.BytesIO(audio)) as file:
            frame_bytes = file.getsampwidth() * file.getnchannels()
            rate, channels, width = file.getframerate(), file.getnchannels(), file.getsampwidth()
    except (wave.Error, EOFError, ValueError):
        raise Refused(415, "no_wav", "The audio must be a WAV file with PCM samples.") from None
    if width != 2 or channels not in (1, 2) or not 8000 <= rate <= 96_000:
        raise Refused(
            415, "unusual_wav", "The WAV file must have 16 bits, one or two channels, and 8 to 96 kHz."
        )
    # The header's length may be open, as in a file that was streamed.
    seconds = len(audio) / frame_bytes / rate
    if seconds > limits.audio_seconds:
        raise Refused(
            413,
            "audio_too_long",
            f"The audio is {seconds:.0f} s long; at most {limits.audio_seconds:.0f} s are taken.",
        )
    return seconds


@dataclass(frozen=True)
class Transcription:
    audio: bytes
    # `json`, `text` or `verbose_json`
    form: str
    seconds: float


def read_transcription(content_type: str, body: bytes, limits: Limits) -> Transcription:
    fields = read_form(content_type, body)
    audio = fields.get("file")
    if audio is None:
        raise Refused(400, "no_file", "The form has no part called file.")
    form = fields.get("response_format", b"json").decode("utf-8", "replace")
    if form not in ("json", "text", "verbose_json"):
        raise Refused(400, "response_format", "response_format must be json, text or verbose_json.")
    language = fields.get("language", b"en").decode("utf-8", "replace").strip().lower()
    if language.split("-")[0] not in ("", "en", "english"):
        raise Refused(400, "language", "This server recognises English only.")
    return Transcription(audio, form, check_wav(audio, limits))


@dataclass(frozen=True)
class Speech:
    text: str
    # `pcm` or `wav`
    form: str
    speed: float


def read_speech(content_type: str, body: bytes, limits: Limits) -> Speech:
    # A page of another origin may send plain text without asking first, and JSON only after asking.
    if not content_type.lower().startswith("application/json"):
        raise Refused(415, "no_json", "Send the text as application/json.")
    try:
        fields: Any = json.loads(body)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise Refused(400, "no_json", "The body is not a JSON object.")
    text, form, speed = fields.get("input"), fields.get("response_format", "wav"), fields.get("speed")
    if not isinstance(text, str) or not text.strip():
        raise Refused(400, "no_input", "input must be a text.")
    if len(text) > limits.text_characters:
        raise Refused(
            413,
            "text_too_long",
            f"The text has {len(text)} characters; at most {limits.text_characters} are taken.",
        )
    if form not in ("pcm", "wav"):
        raise Refused(400, "response_format", "response_format must be pcm or wav.")
    is_number = isinstance(speed, (int, float)) and not isinstance(speed, bool)
    if speed is not None and not (is_number and 0.25 <= speed <= 4):
        raise Refused(400, "speed", "speed must be from 0.25 to 4.")
    return Speech(text, form, 1.0 if speed is None else float(speed))
