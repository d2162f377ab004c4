"""Lets an agent of LiveKit's framework (livekit-agents) hear texts that come as packets: those of `POST …/messages`, and those of
clients that send packets. By itself the framework reads text streams on `lk.chat` alone. docs/agents.md explains this file."""

import asyncio
import json
import uuid

from livekit import rtc
from livekit.agents import AgentSession, ConversationItemAddedEvent

PERSON = rtc.ParticipantKind.PARTICIPANT_KIND_STANDARD
SETTLED_SECONDS = 0.5  # By then the framework has noted what it has heard.
REMEMBERED = 100


async def hear_packets(session: AgentSession, room: rtc.Room) -> None:
    """Answers each text of a packet once. Call it when the session has started in the connected room."""
    taken, tasks, met = set(), set(), set()
    # The newest texts that the framework has heard by itself, and texts of packets that it has yet to note.
    heard = [item.text_content for item in session.history.items if getattr(item, "role", None) == "user"]
    given = []

    def run(coroutine) -> None:
        tasks.add(task := asyncio.create_task(coroutine))
        task.add_done_callback(tasks.discard)

    async def answer(text: str, is_missed: bool) -> None:
        if is_missed:  # Said while the agent started, so the framework may have heard it on `lk.chat`.
            await asyncio.sleep(SETTLED_SECONDS)
            if text in heard:
                heard.remove(text)
                return
        else:  # What was said earlier does not cut off the answer to a newer text.
            await session.interrupt()
        given.append(text)
        session.generate_reply(user_input=text)

    def take(packet: rtc.DataPacket) -> None:
        if packet.participant and packet.participant.kind != PERSON:  # Agents that answer each other never end.
            return
        try:
            body = json.loads(packet.data)
            kind, text, message_id = body["type"], body["data"], str(body.get("id") or uuid.uuid4())
        except (ValueError, TypeError, KeyError, AttributeError):
            return  # Anyone may send anything.
        if kind != "user_text" or not isinstance(text, str) or message_id in taken:
            return
        taken.add(message_id)  # A client that saw no confirmation sends its text again.
        run(answer(text, body.get("missed") is True))

    def note(event: ConversationItemAddedEvent) -> None:
        if getattr(event.item, "role", None) != "user":
            return
        text = event.item.text_content
        if text in given:
            given.remove(text)
        else:
            heard.append(text)
            del heard[:-REMEMBERED]

    def publish(event: ConversationItemAddedEvent) -> None:
        """The framework publishes no answer before a person came: the recorder, which is hidden, gets it from here."""
        item = event.item
        if getattr(item, "role", None) == "assistant" and item.text_content and not met:
            attributes = {"lk.segment_id": item.id, "lk.transcription_final": "true"}
            run(room.local_participant.send_text(item.text_content, topic="lk.transcription", attributes=attributes))

    def meet(other: rtc.RemoteParticipant) -> None:
        if other.kind == PERSON:
            met.add(other.identity)

    for other in room.remote_participants.values():
        meet(other)
    room.on("participant_connected", meet)
    room.on("data_received", take)
    session.on("conversation_item_added", note)
    session.on("conversation_item_added", publish)
    # POST …/messages names the agents with this attribute in `deliveredTo`.
    await room.local_participant.set_attributes({"session.texts": "packet"})
