import {
  begin,
  fails,
  type Reply,
  says,
  send,
  sendWords,
  stalls,
  startScriptedModel,
} from '@session/conversation/testing';
import { expect, test } from 'vitest';
import { startConversing } from '../../testing/conversing.ts';
import { HandTime } from '../../testing/hand-time.ts';

/** On a busy machine, faults other than silence must not time out as silence. */
const TIMERS = { LLM_FIRST_TOKEN_MS: '3000', LLM_IDLE_MS: '3000', LLM_MAX_OUTPUT_TOKENS: '50' };

const silent: Reply = (response) => begin(response);
const malformed: Reply = (response) => {
  begin(response);
  response.end('data: {"choi\n\n');
};
const empty: Reply = (response) => {
  begin(response);
  response.end('data: [DONE]\n\n');
};
/** Says words as fast as they are read. */
const endless: Reply = (response, { gone }) => {
  begin(response);
  const sendMore = () => {
    if (gone.aborted) return;
    sendWords(response, 'and so on ');
    setImmediate(sendMore);
  };
  sendMore();
};
const large: Reply = (response) => {
  begin(response);
  send(response, { choices: [{ index: 0, delta: { content: 'x'.repeat(10_000_000) } }] });
};
const busy = fails(429, {}, { 'retry-after': '0.5' });
const busyWithoutTime = fails(429);

/** What the agent reported, and the beginnings of the texts that it marked as broken off. */
type Outcome = readonly [name: string, reasons: readonly unknown[], cut: readonly string[]];

interface Fault {
  readonly name: string;
  readonly replies: readonly Reply[];
  readonly said: readonly RegExp[];
}

/** These faults mostly wait, so they are tested at the same time. */
const IDLE: readonly Fault[] = [
  { name: 'no first token', replies: [silent], said: [/^I cannot answer right now/] },
  {
    name: 'silence between tokens',
    replies: [stalls],
    said: [/^One moment$/, /^Sorry, I lost my train of thought/],
  },
  { name: 'a malformed answer', replies: [malformed], said: [/^I cannot answer right now/] },
  { name: 'an empty answer', replies: [empty], said: [/^I cannot answer right now/] },
  {
    name: '429 with Retry-After',
    replies: [busy, says('After a pause.')],
    said: [/^After a pause/],
  },
  {
    name: '429 without it',
    replies: [busyWithoutTime, says('After a second.')],
    said: [/^After a second/],
  },
];

/** These faults keep the processor busy. If they ran with others, an agent could mistake that for silence. */
const GREEDY: readonly Fault[] = [
  { name: 'an answer without an end', replies: [endless], said: [/^(and so on ){10,40}/] },
  { name: 'an answer of 10 MB', replies: [large], said: [/^I cannot answer right now/] },
];

async function endure({ name, replies, said }: Fault): Promise<Outcome> {
  let left = replies;
  await using model = await startScriptedModel((response, request) => {
    const [reply, ...rest] = left;
    if (rest.length > 0) left = rest;
    return reply?.(response, request);
  });
  const { ann } = await startConversing({ model, variables: TIMERS });
  await ann.room.say(name);
  await ann.untilAnswered(said.length);
  expect(ann.answers()).toEqual(said.map((text) => expect.stringMatching(text)));
  left = [says('Here I am.')];
  await ann.room.say('Are you there?');
  await ann.untilAnswered(said.length + 1);
  expect(ann.answers().at(-1)).toBe('Here I am.');
  const cut = ann.streams().filter(({ attributes }) => attributes['session.truncated'] === 'true');
  const reasons = ann.packets().flatMap((packet) => reasonIn(packet));
  return [name, reasons, cut.map(({ text }) => text.slice(0, 3))];
}

test('whatever the model does wrong, the room reads a clear sentence, and the next text is answered', async () => {
  await using model = await startScriptedModel();
  const nowhere = { LLM_BASE_URL: 'http://model.invalid/v1' };
  const unreached = await startConversing({ model, variables: nowhere });
  await unreached.ann.room.say('no such host');
  const ends = await Promise.all(IDLE.map((fault) => endure(fault)));
  for (const fault of GREEDY) ends.push(await endure(fault));
  expect(ends).toEqual([
    ['no first token', ['model_stalled'], []],
    ['silence between tokens', ['model_stalled'], ['One']],
    ['a malformed answer', ['model_faulty'], []],
    ['an empty answer', ['model_faulty'], []],
    ['429 with Retry-After', ['model_busy'], []],
    ['429 without it', ['model_busy'], []],
    ['an answer without an end', [], ['and']],
    // On a busy machine, the first part of the answer may not be read in time.
    ['an answer of 10 MB', [expect.stringMatching(/^model_(faulty|stalled)$/)], []],
  ]);
  await unreached.ann.untilAnswered(1);
  expect(unreached.ann.answers()).toEqual([
    'I cannot answer right now. Please try again in a moment.',
  ]);
});

test('a text whose failure needed no further sentence is tried again 10 s later', async () => {
  await using model = await startScriptedModel(fails(401), fails(401), says('Here I am.'));
  const time = new HandTime();
  const { ann, untilTurns } = await startConversing({ model, time });
  await ann.room.say('Hello?');
  await untilTurns(1);
  await ann.room.say('Are you there?');
  await untilTurns(2);
  time.advance(10_000);
  await ann.untilAnswered(2);
  expect(ann.answers()).toEqual([
    expect.stringMatching(/^I cannot answer right now/),
    'Here I am.',
  ]);
  const named = ann.streams().map(({ attributes }) => attributes['session.answers'] ?? '[]');
  expect(named.map((list) => JSON.parse(list).length)).toEqual([1, 1]);
  expect(model.requests).toHaveLength(3);
});

function reasonIn(packet: unknown): unknown[] {
  const isFailure = typeof packet === 'object' && packet !== null && 'reason' in packet;
  return isFailure ? [packet.reason] : [];
}
