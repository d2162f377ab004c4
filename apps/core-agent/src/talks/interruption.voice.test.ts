import { calls, type Reply, says, startScriptedModel } from '@session/conversation/testing';
import {
  crmAt,
  type McpUnderTest,
  serverVariables,
  startMcpServer,
} from '@session/conversation/testing/mcp';
import { WHOLE_SPEECH_MS } from '@session/media/testing';
import { noise, speech, startSpeechEndpoints } from '@session/testing';
import { expect, test } from 'vitest';
import { openTalkRoom, openVoiceRoom } from '../../testing/voice-room.ts';

const LONG = [
  'This is the first sentence of a long answer. ',
  `This is the second sentence of a long answer, and it goes on ${'and on '.repeat(15)}. `,
  'And this is its third sentence. ',
  'The fourth sentence ends it. ',
  'Nobody waits for the fifth one.',
];
const SHORT = ['This is a sentence to talk over. ', 'And it goes on.'];

test('a person who talks over the agent silences it: what was heard stays, marked, and both texts are in the next prompt', async () => {
  await using model = await startScriptedModel(says(...LONG), says('Of course.'));
  await using endpoints = await startSpeechEndpoints();
  // Ann talks over the second sentence, which is longer than the sound that is sent ahead.
  const whole = { queueMs: WHOLE_SPEECH_MS };
  const { ann, hearing, texts } = await openVoiceRoom(model, endpoints, {}, whole);
  await ann.joined.say('Tell me more');
  await expect.poll(() => hearing.tones).toContain(500);
  await ann.speak(speech(1500));
  await expect.poll(() => hearing.isSilent).toBe(true);
  await expect.poll(texts).toHaveLength(3);
  const cut = texts().find(({ interrupted }) => interrupted);
  expect(LONG.join('').startsWith(cut?.text ?? '-')).toBe(true);
  expect(cut?.text).toContain(LONG[0]);
  expect(cut?.text).not.toContain('third');
  // A busy machine may split Ann's words into two utterances of one turn.
  const said = texts().find(({ by }) => by === 'Ann');
  expect(said).toMatchObject({ text: expect.stringMatching(/^Utterance 1/), interrupted: false });
  expect(texts().at(-1)).toEqual({ by: 'core-agent', text: 'Of course.', interrupted: false });
  const prompt = JSON.stringify(model.requests[1]?.body['messages']);
  expect(prompt).toContain(cut?.text.trim());
  expect(prompt).toContain(said?.text);
  expect(prompt).not.toContain('third');
  // Two sentences are requested ahead, not the whole answer.
  expect(endpoints.speeches.map(({ text }) => text)).not.toContain(LONG[4]);
});

test('a person who talks over a call of an MCP server ends it: the server is told, and the person is answered', async () => {
  const cancelled = Promise.withResolvers<void>();
  await using crm = await startMcpServer((server) => {
    server.registerTool('search', { annotations: { readOnlyHint: true } }, async ({ mcpReq }) => {
      mcpReq.signal.addEventListener('abort', () => cancelled.resolve());
      return await new Promise<never>(() => {});
    });
  });
  await using talk = await talkOver(crm, 'search', says('Never mind.'));
  await cancelled.promise;
  await talk.untilAnswered('Never mind.');
  await talk.untilReported('cancelled');
  expect(crm.methods).toContain('notifications/cancelled');
});

test('a person who talks over a call that may have effects is answered while it goes on, and it is made once', async () => {
  const booked = Promise.withResolvers<void>();
  await using crm = await startMcpServer((server) => {
    server.registerTool('book', {}, async () => {
      await booked.promise;
      return { content: [{ type: 'text', text: 'Booked.' }] };
    });
  });
  const again = calls(['crm__book', {}]);
  await using talk = await talkOver(crm, 'book', again, says('It is on its way.'));
  await talk.untilAnswered('It is on its way.');
  booked.resolve();
  await talk.untilReported('done');
  expect(crm.methods.filter((method) => method === 'tools/call')).toHaveLength(1);
});

/** Makes Ann ask for a call of the tool, and speak again during the call. */
async function talkOver(crm: McpUnderTest, tool: string, ...replies: readonly Reply[]) {
  await using stack = new AsyncDisposableStack();
  const first = calls([`crm__${tool}`, {}]);
  const model = stack.use(await startScriptedModel(first, ...replies));
  const endpoints = stack.use(await startSpeechEndpoints());
  const tools = serverVariables(crmAt(crm.port, [tool]));
  const { ann, texts, packets } = await openTalkRoom(model, endpoints, tools);
  await ann.speak(speech(1500));
  await expect.poll(() => crm.methods).toContain('tools/call');
  await ann.speak(speech(1500));
  const owned = stack.move();
  return {
    async untilAnswered(text: string) {
      await expect.poll(texts).toContainEqual({ by: 'core-agent', text, interrupted: false });
    },
    async untilReported(state: string) {
      const call = { type: 'tool_call', tool: `crm__${tool}`, state };
      await expect.poll(packets).toContainEqual(expect.objectContaining(call));
    },
    [Symbol.asyncDispose]: async () => await owned.disposeAsync(),
  };
}

test.each([
  { what: 'a cough', sound: noise(300), isAsked: false },
  { what: 'a short sound of a voice', sound: speech(250), isAsked: false },
  { what: 'noise in which no words are found', sound: speech(1200), isAsked: true },
])('$what lets the answer go on to its end, unmarked', async ({ sound, isAsked }) => {
  await using model = await startScriptedModel(says(...SHORT));
  await using endpoints = await startSpeechEndpoints({ transcribe: () => ' [BLANK_AUDIO] ' });
  const { ann, hearing, texts } = await openVoiceRoom(model, endpoints);
  await ann.joined.say('Tell me more');
  await expect.poll(() => hearing.tones).toContain(400);
  await ann.speak(sound);
  await expect.poll(texts).toHaveLength(1);
  expect(texts()).toEqual([{ by: 'core-agent', text: SHORT.join(''), interrupted: false }]);
  // The text may be there before its last sound is heard.
  await expect.poll(() => new Set(hearing.tones)).toEqual(new Set([400, 500]));
  // On a stalled machine, the answer may end before the agent has heard the whole sound.
  await expect.poll(() => endpoints.transcriptions.length > 0).toBe(isAsked);
  // No part of the answer was lost.
  const saidMs = SHORT.reduce((sum, sentence) => sum + 50 * sentence.trim().length, 0);
  await expect.poll(() => hearing.loudMs).toBeGreaterThan(saidMs - 200);
});

test('a short word over the last syllables of an answer is answered', async () => {
  await using model = await startScriptedModel(says('Shall I go on with it today?'), says('Well.'));
  await using endpoints = await startSpeechEndpoints({ transcribe: () => 'Yes' });
  // The turn ends after the answer has.
  const slow = { TURN_MIN_MS: '2500', TURN_MAX_MS: '2500', INTERRUPT_MIN_MS: '2000' };
  const { ann, hearing, texts } = await openVoiceRoom(model, endpoints, slow);
  await ann.joined.say('Tell me more');
  await expect.poll(() => hearing.tones).toContain(400);
  await ann.speak(speech(700));
  await expect.poll(texts).toHaveLength(3);
  expect(texts()).toEqual([
    { by: 'core-agent', text: 'Shall I go on with it today?', interrupted: false },
    // A busy machine may split the word into two utterances of one turn.
    { by: 'Ann', text: expect.stringMatching(/^Yes( Yes)*$/), interrupted: false },
    { by: 'core-agent', text: 'Well.', interrupted: false },
  ]);
});

test('a typed text silences the agent at once', async () => {
  await using model = await startScriptedModel(says(...LONG), says('Of course.'));
  await using endpoints = await startSpeechEndpoints();
  const { ann, hearing, texts } = await openVoiceRoom(model, endpoints);
  await ann.joined.say('Tell me more');
  await expect.poll(() => hearing.loudMs).toBeGreaterThan(1000);
  await ann.joined.say('Wait');
  await expect.poll(texts).toHaveLength(2);
  const [cut, answer] = texts();
  expect(cut).toMatchObject({ interrupted: true });
  expect(LONG.join('').startsWith(cut?.text ?? '-')).toBe(true);
  expect(answer).toMatchObject({ text: 'Of course.', interrupted: false });
});
