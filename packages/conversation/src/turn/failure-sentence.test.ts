import { expect, test } from 'vitest';
import { openConversation, PERSONA, readTurn } from '../../testing/read-turn.ts';
import {
  begin,
  fails,
  type Reply,
  says,
  startScriptedModel,
} from '../../testing/scripted-model.ts';

const stalls: Reply = (response) => begin(response);

test.each([
  [{ language: 'de-CH' }, 'Ich kann gerade nicht antworten.'],
  [{ language: 'sw' }, 'I cannot answer right now.'],
  [{ language: 'de-CH', failureMessage: 'Moment, bitte.' }, 'Moment, bitte.'],
])(
  'a failure is told in words of the template, or of its language: %j',
  async (persona, sentence) => {
    await using model = await startScriptedModel(fails(401));
    const settings = { model: model.settings, persona: { ...PERSONA, ...persona } };
    await using talk = openConversation(model, { settings });
    const { notices } = await talk.say('Hello');
    expect(notices).toEqual([expect.stringContaining(sentence)]);
    expect(notices.join()).not.toMatch(/model|Modell|endpoint|HTTP|settings/i);
  },
);

test('a failure is told by one sentence in 10 s, however many texts come, and by none where nobody has asked', async () => {
  await using model = await startScriptedModel(fails(503));
  let ms = 0;
  await using talk = openConversation(model, { clock: () => ms });
  const { signal } = new AbortController();
  const greeting = await readTurn(talk.conversation.greet(signal));
  const nudge = await readTurn(talk.conversation.nudge(signal));
  expect([greeting.notices, nudge.notices]).toEqual([[], []]);
  expect(greeting.text).toBe('Hello! How can I help you?');
  const counts = [];
  for (; ms <= 21_000; ms += 3000) counts.push((await talk.say('Hello?')).notices.length);
  expect(counts).toEqual([1, 0, 0, 0, 1, 0, 0, 0]);
});

test('a failure is told by one sentence in 10 s to a person who interrupts each failing turn', async () => {
  let attempts = 0;
  await using model = await startScriptedModel((response, request) => {
    attempts += 1;
    return (attempts % 2 === 1 ? fails(503) : stalls)(response, request);
  });
  let ms = 0;
  await using talk = openConversation(model, { clock: () => ms });
  const counts = [];
  for (; ms <= 30_000; ms += 3000) {
    const interruption = new AbortController();
    const turn = readTurn(talk.conversation.answer([{ text: 'Hello?' }], interruption.signal));
    const asked = model.requests.length + 2;
    await expect.poll(() => model.requests.length, { interval: 5 }).toBe(asked);
    interruption.abort();
    counts.push((await turn).notices.length);
  }
  expect(counts).toEqual([0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]);
});

test.each([
  ['is answered', says('Here I am.'), 'Here I am.', 0],
  ['gets its own sentence', fails(503), '', 1],
])(
  'a text that failed without a sentence is tried again 10 s later: it %s',
  async (_, reply, answer, count) => {
    let current: Reply = fails(503);
    await using model = await startScriptedModel((response, request) => current(response, request));
    let ms = 0;
    await using talk = openConversation(model, { clock: () => ms });
    await talk.say('Hello?');
    expect(talk.conversation.retryAt).toBeUndefined();
    ms = 3000;
    expect((await talk.say('Are you there?')).notices).toEqual([]);
    expect(talk.conversation.retryAt).toBe(13_000);
    ms = 13_000;
    current = reply;
    const { text, notices } = await readTurn(
      talk.conversation.answer([], new AbortController().signal),
    );
    expect([text, notices.length]).toEqual([answer, count]);
    expect(talk.conversation.retryAt).toBeUndefined();
  },
);
