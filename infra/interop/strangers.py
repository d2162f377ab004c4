"""Participants of LiveKit's Python SDK, which announce nothing: they join the rooms of one line at the same time, wait 100 ms,
and talk. Reads a line of JSON for each room: a list of tokens with names. Answers each with the line "done"."""

import asyncio
import json
import os
import sys

from livekit import rtc
from livekit.rtc._ffi_client import FfiClient
from livekit.rtc._proto import ffi_pb2


async def send_chat_message(participant: rtc.LocalParticipant, text: str) -> None:
    """Sends a chat message of LiveKit's own kind. The SDK has no method for it."""
    request = ffi_pb2.FfiRequest()
    request.send_chat_message.local_participant_handle = participant._ffi_handle.handle
    request.send_chat_message.message = text
    queue = FfiClient.instance.queue.subscribe()
    try:
        response = FfiClient.instance.request(request)
        wanted = response.send_chat_message.async_id
        await queue.wait_for(lambda event: event.chat_message.async_id == wanted)
    finally:
        FfiClient.instance.queue.unsubscribe(queue)


async def talk(room: rtc.Room, token: str, name: str) -> None:
    await room.connect(os.environ["MEDIA_URL"], token)
    # In ten steps: on a machine that stands still for a while it takes longer.
    for _ in range(10):
        await asyncio.sleep(0.01)
    sender = room.local_participant
    for fields in ({"data": f"{name} without an id"}, {"data": f"{name} with an id", "id": f"m-{name}"}):
        await sender.publish_data(json.dumps({"type": "user_text", **fields}), reliable=True)
    await sender.send_text(f"{name} in a stream", topic="lk.chat")
    await send_chat_message(sender, f"{name} in a chat message")


async def main() -> None:
    loop = asyncio.get_running_loop()
    rooms = []
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        people = json.loads(line)
        joined = [rtc.Room() for _ in people]
        rooms.extend(joined)
        await asyncio.gather(
            *(talk(room, person["token"], person["name"]) for room, person in zip(joined, people))
        )
        print("done", flush=True)
    for room in rooms:
        await room.disconnect()


asyncio.run(main())
