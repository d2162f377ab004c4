"""An agent of LiveKit's framework for Python, with a model that says back what it is told, and the lines of rest_texts.py."""

import asyncio
import os

from livekit import rtc
from livekit.agents import Agent, AgentSession, llm
from livekit.agents.voice.room_io import RoomOptions
from rest_texts import hear_packets


class EchoModel(llm.LLM):
    def chat(self, *, chat_ctx, tools=None, conn_options=None, **_) -> llm.LLMStream:
        return EchoStream(self, chat_ctx=chat_ctx, tools=tools or [], conn_options=conn_options)


class EchoStream(llm.LLMStream):
    async def _run(self) -> None:
        said = [item.text_content for item in self._chat_ctx.items if item.type == "message" and item.role == "user"]
        delta = llm.ChoiceDelta(role="assistant", content=f"You said: {said[-1]}")
        self._event_ch.send_nowait(llm.ChatChunk(id="echo", delta=delta))


async def main() -> None:
    room, session = rtc.Room(), AgentSession(llm=EchoModel())
    await room.connect(os.environ["MEDIA_URL"], os.environ["MEDIA_TOKEN"])
    options = RoomOptions(audio_input=False, audio_output=False, close_on_disconnect=False)
    await session.start(Agent(instructions="Say back what people say."), room=room, room_options=options)
    await hear_packets(session, room)
    print("ready", flush=True)
    await asyncio.Event().wait()


asyncio.run(main())
