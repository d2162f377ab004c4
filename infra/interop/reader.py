"""A participant of LiveKit's Python SDK that reads the text streams of a room. Prints a line of JSON for each one that is over:
its text, and the attributes that it then has."""

import asyncio
import json
import os

from livekit import rtc


async def report(reader: rtc.TextStreamReader) -> None:
    text = await reader.read_all()
    print(json.dumps({"text": text, "attributes": reader.info.attributes}), flush=True)


async def main() -> None:
    room = rtc.Room()
    tasks = set()
    room.register_text_stream_handler(
        "lk.transcription", lambda reader, _: tasks.add(asyncio.create_task(report(reader)))
    )
    await room.connect(os.environ["MEDIA_URL"], os.environ["MEDIA_TOKEN"])
    print("ready", flush=True)
    await asyncio.Event().wait()


asyncio.run(main())
