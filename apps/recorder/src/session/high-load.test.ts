import { CHAT_TOPIC } from '@session/contract/room';
import { expect } from 'vitest';
import { until } from '../../testing/stage.ts';
import { test } from '../../testing/stage-test.ts';

const MEBIBYTE = 1024 * 1024;
const PEOPLE = Number(process.env['PEOPLE'] ?? 30);

test('of a text of 1 MiB the first 64 KiB are kept, and the message is marked as truncated', async ({
  stage,
}) => {
  await stage.record();
  const sessionId = await stage.recordedSession();
  const ana = await stage.join(sessionId);
  await ana.sendText(CHAT_TOPIC, 'x'.repeat(MEBIBYTE));
  const history = await stage.historyWith(sessionId, ({ kind }) => kind === 'text');
  const text = history.find(({ kind }) => kind === 'text');
  expect(text).toMatchObject({ status: 'complete', metadata: { truncated: true } });
  expect(text?.content).toBe('x'.repeat(64 * 1024));
});

test('50 text streams of each of two senders, all open at the same time, are each stored whole, once', async ({
  stage,
}) => {
  await stage.record();
  const sessionId = await stage.recordedSession();
  const people = await Promise.all(['Ana', 'Ben'].map((name) => stage.join(sessionId, name)));
  const numbers = Array.from({ length: 100 }, (_, number) => number);
  const texts = await Promise.all(
    people.flatMap((person) => Array.from({ length: 50 }, () => person.openText(CHAT_TOPIC))),
  );
  await Promise.all(texts.map((text, number) => text.write(`text ${number} `)));
  await Promise.all(texts.map((text) => text.write('is ')));
  await Promise.all(
    texts.toReversed().map(async (text) => {
      await text.write('whole');
      await text.end();
    }),
  );
  const stored = await until(async () => {
    const history = await stage.history(sessionId);
    // A text that is open for a long time is also stored before its end, as pending.
    const found = history.filter(({ kind, status }) => kind === 'text' && status === 'complete');
    return found.length >= texts.length && found;
  });
  expect(new Set(stored.map(({ content, status }) => `${content}: ${status}`))).toEqual(
    new Set(numbers.map((number) => `text ${number} is whole: complete`)),
  );
  expect(stored).toHaveLength(100);
});

test('real participants who join and leave, ten at a time, are each in the history with both', async ({
  stage,
}) => {
  await stage.record();
  const sessionId = await stage.recordedSession();
  const of = async (kind: string) => {
    const history = await stage.history(sessionId);
    const found = history.filter((one) => one.kind === kind);
    return found.flatMap(({ metadata: { participant } }) => participant?.name ?? []).toSorted();
  };
  const names = Array.from({ length: PEOPLE }, (_, index) => `P${index}`);
  for (let first = 0; first < PEOPLE; first += 10) {
    const ten = names.slice(first, first + 10);
    const people = await Promise.all(ten.map((name) => stage.join(sessionId, name)));
    await Promise.all(people.map((one) => one.leave()));
  }
  await expect.poll(() => of('participant_left')).toEqual(names.toSorted());
  expect(await of('participant_joined')).toEqual(names.toSorted());
  expect(await stage.history(sessionId)).toHaveLength(2 * PEOPLE);
});
