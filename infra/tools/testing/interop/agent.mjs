// An agent of LiveKit's own framework, without a voice and without a model: its parent sends what it speaks, and what its
// speech recogniser returns.
import { setTimeout as sleep } from 'node:timers/promises';
import { initializeLogger, voice } from '@livekit/agents';
import { dispose, Room } from '@livekit/rtc-node';

initializeLogger({ pretty: false, level: 'error' });
const room = new Room();
await room.connect(process.env.MEDIA_URL, process.env.MEDIA_TOKEN, { autoSubscribe: true });
const session = new voice.AgentSession({
  llm: new voice.testing.FakeLLM([{ input: 'How are you?', content: 'I am fine, thank you.' }]),
});
await session.start({
  agent: new voice.Agent({ instructions: 'Answer.' }),
  room,
  inputOptions: { audioEnabled: false },
  outputOptions: { audioEnabled: false, syncTranscription: false },
});

/** Yields the texts one after another. An endless list is repeated, so that only an interruption ends it. */
async function* words(texts, isEndless) {
  do {
    for (const text of texts) {
      yield text;
      await sleep(20);
    }
  } while (isEndless);
}

const commands = {
  say: ({ texts, isEndless }) => void session.say(ReadableStream.from(words(texts, isEndless))),
  interrupt: () => session.interrupt(),
  // What a speech recogniser returns: interim texts, then the final text.
  hear: ({ text, isFinal }) =>
    session.emit('user_input_transcribed', {
      type: 'user_input_transcribed',
      transcript: text,
      isFinal,
    }),
  async leave() {
    await session.close();
    await room.disconnect();
    await dispose();
    process.disconnect();
  },
};
process.on('message', ({ command, ...rest }) => void commands[command](rest));
process.send('ready');
