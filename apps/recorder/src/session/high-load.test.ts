import { CHAT_TOPIC, type PresenceEvent } from '@session/contract/room';
import { expect } from 'vitest';
import { openTestHistoryWriter } from '../../testing/history-writer.ts';
import { NO_TEXTS } from '../../testing/session-events.ts';
import { FAST, until } from '../../testing/stage.ts';
import { test } from '../../testing/stage-test.ts';
import { createLog } from '../process/log.ts';
import { queriesOn } from '../queries.ts';
import { ParticipantNames } from './participant-names.ts';
import { SenderLookup } from './sender-lookup.ts';
import { SessionEvents } from './session-events.ts';
import { SkipCounts } from './skip-counts.ts';

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

test('50 text streams of each of four senders, all open at the same time, are each stored whole, once', async ({
  stage,
}) => {
  await stage.record();
  const sessionId = await stage.recordedSession();
  const people = await Promise.all(
    ['Ana', 'Ben', 'Eva', 'Tom'].map((name) => stage.join(sessionId, name)),
  );
  const numbers = Array.from({ length: 200 }, (_, number) => number);
  const texts = await Promise.all(
    people.flatMap((person) => Array.from({ length: 50 }, () => person.openText(CHAT_TOPIC))),
  );
  for (const [number, text] of texts.entries()) await text.write(`text ${number} `);
  for (const text of texts) await text.write('is ');
  for (const text of texts.toReversed()) {
    await text.write('whole');
    await text.end();
  }
  const stored = await until(async () => {
    const history = await stage.history(sessionId);
    // A text that is open for long is stored before its end, too, as pending.
    const found = history.filter(({ kind, status }) => kind === 'text' && status === 'complete');
    return found.length >= texts.length && found;
  });
  expect(new Set(stored.map(({ content, status }) => `${content}: ${status}`))).toEqual(
    new Set(numbers.map((number) => `text ${number} is whole: complete`)),
  );
  expect(stored).toHaveLength(200);
});

test('10,000 participants who join and leave are each in the history with both, in that order', async ({
  stage,
}) => {
  const sessionId = await stage.createSession();
  const queries = queriesOn(stage.database);
  await using opened = await openTestHistoryWriter({ queries });
  const { writer } = opened;
  const events = new SessionEvents({
    texts: NO_TEXTS,
    names: new ParticipantNames(queries),
    sessionId,
    senders: new SenderLookup({
      announce: () => {},
      isSigned: () => false,
      listParticipants: async () => [],
      senderMs: FAST.senderMs,
    }),
    writer,
    leadership: writer,
    skipped: new SkipCounts(),
    log: createLog('silent'),
    timing: FAST,
  });
  const see = (type: PresenceEvent['type'], number: number) => {
    const participant = {
      identity: `p-${number}`,
      name: '',
      sid: `PA_${number}`,
      kind: 'standard',
    };
    const reason = type === 'participant_left' ? 'CLIENT_INITIATED' : null;
    const event = { type, participant, joinedAt: number, reason, receivedAt: Date.now() };
    events.receive({ event, isConnected: true, announced: new Set() });
  };
  const count = 10_000;
  for (let number = 0; number < count; number += 1) {
    see('participant_joined', number);
    if (number >= 100) see('participant_left', number - 100);
  }
  for (let number = count - 100; number < count; number += 1) see('participant_left', number);
  await events.end(true);
  await writer.untilStored(sessionId, new AbortController().signal);
  const kinds = new Map<string, string>();
  for (const { kind, metadata } of await stage.history(sessionId)) {
    const identity = metadata.participant?.identity ?? '';
    kinds.set(identity, `${kinds.get(identity) ?? ''} ${kind}`);
  }
  expect(kinds.size).toBe(count);
  expect(new Set(kinds.values())).toEqual(new Set([' participant_joined participant_left']));
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
