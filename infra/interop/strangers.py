"""Participants of LiveKit's Python SDK, which announce nothing: they join the room of their tokens at the same time, and send
three texts each right after they joined. Reads lines of JSON, and answers each with the line "done": a list of tokens with names
joins a room; an object with texts by name sends each as a chat message of that participant of the newest room."""

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


async def join(token: str, name: str) -> rtc.Room:
    room = rtc.Room()
    await room.connect(os.environ["MEDIA_URL"], token)
    sender = room.local_participant
    for fields in ({"data": f"{name} without an id"}, {"data": f"{name} with an id", "id": f"m-{name}"}):
        await sender.publish_data(json.dumps({"type": "user_text", **fields}), reliable=True)
    await sender.send_text(f"{name} in a stream", topic="lk.chat")
    return room


async def main() -> None:
    loop = asyncio.get_running_loop()
    rooms = []
    newest = []
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        command = json.loads(line)
        if isinstance(command, list):
            newest = await asyncio.gather(*(join(person["token"], person["name"]) for person in command))
            rooms.extend(newest)
        else:
            senders = (room.local_participant for room in newest)
            await asyncio.gather(*(send_chat_message(sender, command[sender.name]) for sender in senders))
        print("done", flush=True)
    for room in rooms:
        await room.disconnect()


asyncio.run(main())
