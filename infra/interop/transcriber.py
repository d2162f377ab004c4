"""An agent of LiveKit's Python SDK that sends what LiveKit's Python agents send: what it hears, in the person's name, each time the
whole text as a stream of its own; what it says, as one stream that is marked as final at its end; and chat. Reads a command as a
line of JSON, and answers each with the line "done"."""

import asyncio
import json
import os
import sys

from livekit import rtc

FINAL = "lk.transcription_final"


def attributes_of(segment: str, is_final: bool) -> dict[str, str]:
    return {"lk.segment_id": segment, FINAL: str(is_final).lower()}


async def hear(
    sender: rtc.LocalParticipant, person: str, track: str, segment: str, texts: list[str], is_final: bool
) -> None:
    """Transcribes a person's track: all texts but the last one are interim."""
    for index, text in enumerate(texts):
        is_last = is_final and index == len(texts) - 1
        attributes = {**attributes_of(segment, is_last), "lk.transcribed_track_id": track}
        stream = await sender.stream_text(
            topic="lk.transcription", sender_identity=person, attributes=attributes)
        await stream.write(text)
        await stream.aclose()
        await asyncio.sleep(0.1)


async def say(sender: rtc.LocalParticipant, segment: str, words: list[str]) -> None:
    """Speaks word by word."""
    stream = await sender.stream_text(topic="lk.transcription", attributes=attributes_of(segment, False))
    for word in words:
        await stream.write(word)
        await asyncio.sleep(0.1)
    await stream.aclose(attributes={FINAL: "true"})


async def main() -> None:
    loop, room = asyncio.get_running_loop(), rtc.Room()
    await room.connect(os.environ["MEDIA_URL"], os.environ["MEDIA_TOKEN"])
    sender = room.local_participant
    await sender.set_attributes({"lk.agent.state": "listening"})
    print("ready", flush=True)
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        command = json.loads(line)
        kind = command.pop("command")
        if kind == "hear":
            await hear(sender, **command)
        elif kind == "say":
            await say(sender, **command)
        else:
            await sender.send_text(command["text"], topic="lk.chat")
        print("done", flush=True)
    await room.disconnect()


asyncio.run(main())
