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

/** The faults that are no silence must not become one while a busy process stands still. */
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

const FAULTS: readonly (readonly [
  name: string,
  replies: readonly Reply[],
  said: readonly RegExp[],
])[] = [
  ['no first token', [silent], [/^My language model takes too long/]],
  ['silence between tokens', [stalls], [/^One moment$/, /^I lost my train of thought/]],
  ['a malformed answer', [malformed], [/^My language model gave no usable answer/]],
  ['an empty answer', [empty], [/^My language model gave no usable answer/]],
  ['an answer without an end', [endless], [/^(and so on ){10,40}/]],
  // On a busy machine its first part may not be read in time.
  ['an answer of 10 MB', [large], [/^My language model (?:gave no usable answer|takes too long)/]],
  ['429 with Retry-After', [busy, says('After a pause.')], [/^After a pause/]],
  ['429 without it', [busyWithoutTime, says('After a second.')], [/^After a second/]],
];

test('whatever the model does wrong, the room reads a clear sentence, and the next text is answered', async () => {
  let replies: readonly Reply[] = [];
  await using model = await startScriptedModel((response, request) => {
    const [reply, ...rest] = replies;
    if (rest.length > 0) replies = rest;
    return reply?.(response, request);
  });
  const nowhere = { LLM_BASE_URL: 'http://model.invalid/v1' };
  const unreached = await startConversing({ model, variables: nowhere });
  await unreached.ann.room.say('no such host');
  const { ann } = await startConversing({ model, variables: TIMERS });
  let count = 0;
  for (const [name, scripted, said] of FAULTS) {
    replies = scripted;
    await ann.room.say(name);
    const before = count;
    count += said.length;
    await ann.untilAnswered(count);
    const texts = ann.answers().slice(before);
    expect([name, ...texts]).toEqual([name, ...said.map((text) => expect.stringMatching(text))]);
  }
  replies = [says('Here I am.')];
  await ann.room.say('Are you there?');
  await ann.untilAnswered(count + 1);
  expect(ann.answers().at(-1)).toBe('Here I am.');
  const reasons = ann.packets().flatMap((packet) => reasonIn(packet));
  expect(new Set(reasons)).toEqual(new Set(['model_stalled', 'model_faulty', 'model_busy']));
  const cut = ann.streams().filter(({ attributes }) => attributes['session.truncated'] === 'true');
  expect(cut.map(({ text }) => text.slice(0, 3))).toEqual(['One', 'and']);
  await unreached.ann.untilAnswered(1);
  expect(unreached.ann.answers()).toEqual(['I cannot reach my language model at the moment.']);
});

function reasonIn(packet: unknown): unknown[] {
  const isFailure = typeof packet === 'object' && packet !== null && 'reason' in packet;
  return isFailure ? [packet.reason] : [];
}
