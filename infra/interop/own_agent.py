"""An agent of one's own: it says back what people tell it, word by word. docs/agents.md explains each rule that it keeps."""

import asyncio
import json
import os
import signal
import sys
import uuid
from datetime import datetime, timedelta, timezone

from livekit import rtc

BAD_CONFIGURATION = 78  # This exit code is never started again.
ENDS_ON_PURPOSE = {rtc.DisconnectReason.ROOM_DELETED, rtc.DisconnectReason.ROOM_CLOSED,
                   rtc.DisconnectReason.PARTICIPANT_REMOVED}


class Agent:
    def __init__(self, room: rtc.Room, history: list[dict]) -> None:
        self.room = room
        # An agent that starts again neither greets nor answers these texts.
        self.answered = {(message["id"], message["content"]) for message in history}
        self.answer: asyncio.Task | None = None

    async def announce(self) -> None:
        """An attribute makes the media server announce us: before that, others may not know who sent a text."""
        await self.room.local_participant.set_attributes({"lk.agent.state": "listening", "session.texts": "packet"})

    def take(self, message_id: str, text: str, sender: rtc.RemoteParticipant | None) -> None:
        """Answers a text. A text that the API sends has no sender; texts of other agents are never answered."""
        if sender and sender.kind == rtc.ParticipantKind.PARTICIPANT_KIND_AGENT:
            return
        if (message_id, text) in self.answered:  # A client that saw no confirmation sends its text again.
            return
        self.answered.add((message_id, text))
        self.answer = asyncio.create_task(self.say(f"You said: {text}", self.answer))

    async def say(self, answer: str, interrupted: asyncio.Task | None) -> None:
        """Sends an answer as it is made, as one text stream with an id. A newer text interrupts it."""
        if interrupted:
            await cancel(interrupted)
        attributes = {"lk.segment_id": str(uuid.uuid4()), "lk.transcription_final": "true"}
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
            if body["type"] == "user_text" and isinstance(body["data"], str):
                self.take(str(body.get("id") or uuid.uuid4()), body["data"], packet.participant)
        except (ValueError, TypeError, KeyError):
            pass  # Anyone may send anything.

    async def on_chat(self, stream: rtc.TextStreamReader, identity: str) -> None:
        text = await stream.read_all()
        self.take(stream.info.stream_id, text, self.room.remote_participants.get(identity))


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
    await agent.announce()
    print("ready", flush=True)

    # What a person said last, and nobody has answered, is answered after a restart. A model would get all texts at the end.
    if history and history[-1]["role"] == "user":
        last = history[-1]
        if datetime.now(timezone.utc) - datetime.fromisoformat(last["at"]) < timedelta(minutes=2):
            agent.answered.discard((last["id"], last["content"]))
            agent.take(last["id"], last["content"], None)

    code = await end
    if agent.answer:
        await cancel(agent.answer)
    await room.disconnect()
    return code


sys.exit(asyncio.run(main()))
