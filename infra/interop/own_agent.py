"""An agent of one's own: it says back what people tell it, word by word. docs/agents.md explains each rule that it keeps."""

import asyncio
import hashlib
import json
import os
import re
import signal
import sys
import time
import uuid
from datetime import datetime, timedelta, timezone

from livekit import rtc

AGENT = rtc.ParticipantKind.PARTICIPANT_KIND_AGENT
BAD_CONFIGURATION = 78  # This exit code is never started again.
ENDS_ON_PURPOSE = {rtc.DisconnectReason.ROOM_DELETED, rtc.DisconnectReason.ROOM_CLOSED,
                   rtc.DisconnectReason.PARTICIPANT_REMOVED}
NAMESPACE = uuid.UUID("6f0d7e0c-5d0b-5c8e-9a57-3b1f6a7d2c41")
UUID = re.compile(
    r"([0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|0{8}(-0{4}){3}-0{12}|f{8}(-f{4}){3}-f{12})",
    re.IGNORECASE,
)
MAX_TEXT_BYTES = 65_536
MAX_ID_LENGTH = 256


def clean(text: str) -> str:
    """Returns a text as the history stores it: U+0000 and lone surrogates become U+FFFD, and 64 KiB are kept."""
    valid = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")
    return valid.encode()[:MAX_TEXT_BYTES].decode(errors="ignore")


def message_id(session_id: str, raw_id: str, sender: str | None = None) -> str:
    """The id under which the history stores a text (docs/message-ids.md). Only a text stream has a sender."""
    if UUID.fullmatch(raw_id) and raw_id[14] != "5":
        return raw_id.lower()
    if sender is not None:
        raw_id = f"{sender}/{raw_id}"
    elif "/" in raw_id:
        raw_id = f"/{raw_id}"
    return str(uuid.uuid5(NAMESPACE, f"{session_id.lower()}:text:{raw_id}"))


class Agent:
    def __init__(self, room: rtc.Room, history: list[dict]) -> None:
        self.room = room
        # An agent that starts again neither greets nor answers these texts.
        self.answered = {(message["id"], message["content"]) for message in history}
        self.nameless: list[str] = []
        self.elders: set[str] = set()
        self.answer: asyncio.Task | None = None

    async def announce(self) -> None:
        """An attribute makes the media server announce us: before that, others may not know who sent a text."""
        await self.room.local_participant.set_attributes({"lk.agent.state": "listening", "session.texts": "packet"})

    def find_elders(self) -> None:
        """Notes the conversational agents that were here before us: they answer what was said before we came."""
        others = self.room.remote_participants.values()
        self.elders = {other.identity for other in others if other.kind == AGENT and "lk.agent.state" in other.attributes}

    def has_elder(self) -> bool:
        return any(identity in self.room.remote_participants for identity in self.elders)

    def take(self, text_id: str, text: str, sender: rtc.RemoteParticipant | None, **marks: bool) -> None:
        """Answers a text. A text that the API sends has no sender; texts of other agents are never answered."""
        if sender and sender.kind == AGENT:
            return
        if (text_id, text) in self.answered:  # A client that saw no confirmation sends its text again.
            return
        self.answered.add((text_id, text))
        if marks.get("resent") and text in self.nameless:  # It had no id when it came to us.
            self.nameless.remove(text)
            return
        if marks.get("missed") and self.has_elder():
            return
        if marks.get("nameless"):
            self.nameless.append(text)
        digest = hashlib.sha256(text.encode()).hexdigest()[:32]
        self.reply(text, {"id": text_id, "digest": digest, **({"nameless": True} if marks.get("nameless") else {})})

    def reply(self, text: str, named: dict | None = None) -> None:
        """`named`: how the answer names the text, so that the history can tell when only this agent received it."""
        self.answer = asyncio.create_task(self.say(f"You said: {text}", named, time.monotonic(), self.answer))

    async def say(self, answer: str, named: dict | None, asked_at: float, interrupted: asyncio.Task | None) -> None:
        """Sends an answer as it is made, as one text stream with an id. A newer text interrupts it."""
        if interrupted:
            await cancel(interrupted)
        attributes = {"lk.segment_id": str(uuid.uuid4()), "lk.transcription_final": "true"}
        if named:
            age_ms = round((time.monotonic() - asked_at) * 1000)
            attributes["session.answers"] = json.dumps([{**named, "ageMs": age_ms}])
        stream = await self.room.local_participant.stream_text(topic="lk.transcription", attributes=attributes)
        marks = {"session.truncated": "true"}
        try:
            for word in answer.split():
                await stream.write(word + " ")
                await asyncio.sleep(0.1)  # Here a model would make the next word.
            marks = {}
        except asyncio.CancelledError:
            marks = {"session.interrupted": "true"}
        finally:
            await stream.aclose(attributes=marks)

    def on_packet(self, packet: rtc.DataPacket) -> None:
        try:
            body = json.loads(packet.data)
            if body["type"] != "user_text" or not isinstance(body["data"], str):
                return
            raw_id, text = body.get("id"), clean(body["data"])
        except (ValueError, TypeError, KeyError):
            return  # Anyone may send anything.
        is_nameless = not isinstance(raw_id, str) or not 0 < len(raw_id) <= MAX_ID_LENGTH
        text_id = str(uuid.uuid4()) if is_nameless else message_id(self.room.name, clean(raw_id))
        # Only the API has a use for its marks: whoever else sets them may get no answer.
        marks = {mark: body.get(mark) is True for mark in ("missed", "resent")}
        self.take(text_id, text, packet.participant, nameless=is_nameless, **marks)

    async def on_chat(self, stream: rtc.TextStreamReader, identity: str) -> None:
        text = clean(await stream.read_all())
        text_id = message_id(self.room.name, stream.info.stream_id, identity)
        self.take(text_id, text, self.room.remote_participants.get(identity))


async def cancel(task: asyncio.Task) -> None:
    task.cancel()
    await asyncio.wait([task])


async def main() -> int:
    missing = [name for name in ("MEDIA_URL", "MEDIA_TOKEN") if not os.environ.get(name)]
    if missing:
        print(f"{', '.join(missing)}: not set", file=sys.stderr)
        return BAD_CONFIGURATION
    history = json.loads(os.environ.get("CONVERSATION") or "{}").get("history", [])
    room, loop, end = rtc.Room(), asyncio.get_running_loop(), asyncio.Future()
    leave = lambda code: end.done() or end.set_result(code)
    loop.add_signal_handler(signal.SIGTERM, leave, 0)
    agent = Agent(room, history)
    room.on("data_received", agent.on_packet)
    room.register_text_stream_handler(
        "lk.chat", lambda stream, identity: loop.create_task(agent.on_chat(stream, identity)))
    room.on("reconnected", lambda: loop.create_task(agent.announce()))
    # The SDK connects again by itself. When it has given up, another process of ours is started.
    room.on("disconnected", lambda reason: leave(0 if reason in ENDS_ON_PURPOSE else 1))
    await room.connect(os.environ["MEDIA_URL"], os.environ["MEDIA_TOKEN"])
    agent.find_elders()
    await agent.announce()
    print("ready", flush=True)

    # What a person said last, and nobody has answered, is answered after a restart. A model would get all texts at the end.
    if history and history[-1]["role"] == "user" and not agent.has_elder():
        last = history[-1]
        if datetime.now(timezone.utc) - datetime.fromisoformat(last["at"]) < timedelta(minutes=2):
            agent.reply(last["content"])

    code = await end
    if agent.answer:
        await cancel(agent.answer)
    await room.disconnect()
    return code


sys.exit(asyncio.run(main()))
