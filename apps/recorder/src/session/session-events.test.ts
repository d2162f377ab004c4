import type { RoomEvent } from '@session/contract/room';
import { passTime, startVirtualTime } from '@session/testing/virtual-time';
import { expect, test } from 'vitest';
import {
  agent,
  ana,
  NO_TEXTS,
  openEvents,
  packet,
  presence,
  transcript,
} from '../../testing/session-events.ts';
import { FAST, until } from '../../testing/stage.ts';
import type { SenderFinder } from '../message-path.ts';
import { createLog } from '../process/log.ts';
import { SenderLookup } from './sender-lookup.ts';
import { SessionEvents } from './session-events.ts';
import { SkipCounts } from './skip-counts.ts';

function finderOf(found: Promise<RoomEvent[]>): SenderFinder {
  return {
    completeSender: () => found,
    noteAnnounced: () => {},
    noteTrack: () => {},
    completeTextSender: () => found,
  };
}

function fail(): never {
  throw new Error('a fault');
}

test('an event that cannot be recorded is lost alone, even if that shows only later', async () => {
  const skipped = new SkipCounts();
  const events = new SessionEvents({
    texts: NO_TEXTS,
    names: {
      load: () => undefined,
      named: (event) => event,
      identified: (message) => message,
    },
    sessionId: 's',
    senders: new SenderLookup({
      announce: () => {},
      isSigned: () => false,
      listParticipants: async () => [],
      senderMs: FAST.senderMs,
    }),
    messages: { push: fail },
    skipped,
    log: createLog('silent'),
    timing: { ...FAST, interimMs: 1 },
  });
  const receive = (event: RoomEvent) =>
    events.receive({ event, isConnected: true, announced: new Set() });
  receive(transcript('I s', false));
  receive(packet('hello'));
  receive(packet('hello', undefined, null));
  await until(() => skipped.toJSON()['fault'] === 3);
  await expect(events.end(true)).resolves.toBeUndefined();
});

test('joins, named packets and transcripts have a raw id, other packets have none', () => {
  const { receive, written, withoutId } = openEvents();
  receive(presence('participant_joined'));
  receive(packet('named', '01a1fd7a-c971-7694-8392-ef82743089a4'));
  receive(packet('unnamed'));
  receive(transcript('final', true));
  expect(written).toEqual(['Ana joined', 'named complete', 'final complete']);
  expect(withoutId).toEqual(['unnamed complete']);
});

test('events that do not belong in the history are counted by reason, and reach neither', () => {
  const { receive, written, withoutId, skipped } = openEvents();
  const payload = new TextEncoder().encode('not JSON');
  receive({ type: 'packet', payload, sender: ana, receivedAt: 0 });
  receive(packet(''));
  receive({ ...presence('participant_joined'), participant: { ...ana, identity: 'recorder-1' } });
  receive(transcript('I s', false));
  expect([written, withoutId]).toEqual([[], []]);
  expect(skipped.toJSON()).toEqual({ unknown: 1, empty: 1, recorder: 1, partial_transcript: 1 });
});

test('events wait behind an event whose sender is looked up, and keep their order', async () => {
  const found = Promise.withResolvers<RoomEvent[]>();
  const senders = finderOf(found.promise);
  const { events, receive, withoutId } = openEvents({ senders });
  receive({ ...packet('first', undefined, null), receivedAt: 7 });
  receive({ ...packet('second'), receivedAt: 8 });
  expect([withoutId, events.undecidedSince]).toEqual([[], 7]);
  found.resolve([packet('first', undefined, agent)]);
  await until(() => withoutId.length === 2);
  expect(withoutId).toEqual(['first complete', 'second complete']);
  expect(events.undecidedSince).toBe(Infinity);
});

test('held back: events are decided when the signal aborts, in order', async () => {
  const { events, receive, withoutId } = openEvents();
  const caughtUp = new AbortController();
  events.holdBack(caughtUp.signal, 0);
  receive(packet('one'));
  receive(packet('two'));
  expect(withoutId).toEqual([]);
  caughtUp.abort();
  await until(() => withoutId.length === 2);
  expect(withoutId).toEqual(['one complete', 'two complete']);
});

test('held back: events are decided after the time limit, and at the end', async () => {
  startVirtualTime();
  const limited = openEvents({ overtakeMs: 5000 });
  limited.events.holdBack(new AbortController().signal, 0);
  limited.receive(packet('late'));
  await passTime(4999);
  expect(limited.withoutId).toEqual([]);
  await passTime(1);
  expect(limited.withoutId).toEqual(['late complete']);
  const ended = openEvents();
  ended.events.holdBack(new AbortController().signal, 0);
  ended.receive(packet('last'));
  await ended.events.end(true);
  expect(ended.withoutId).toEqual(['last complete']);
});

test('an interim transcript is stored as pending: when its sender leaves, sends nothing more, or at the end', async () => {
  const left = openEvents();
  left.receive(transcript('good mor', false));
  left.receive(presence('participant_left', 'CLIENT_INITIATED'));
  expect(left.written).toEqual(['good mor pending', 'Ana left']);
  startVirtualTime();
  const silent = openEvents({ interimMs: 30_000 });
  silent.receive(transcript('good mor', false));
  await passTime(29_999);
  expect(silent.written).toEqual([]);
  await passTime(1);
  expect(silent.written).toEqual(['good mor pending']);
  const ended = openEvents();
  ended.receive(transcript('good mor', false));
  await ended.events.end(true);
  expect(ended.written).toEqual(['good mor pending']);
});

test('an interruption stores an interim transcript as pending, because the interval ends there', () => {
  const { events, receive, written } = openEvents();
  receive(transcript('good mor', false));
  void events.interrupted();
  expect(written).toEqual(['good mor pending']);
});

test('an interim transcript that waits for its turn at an interruption is stored when its turn comes', async () => {
  const found = Promise.withResolvers<RoomEvent[]>();
  const senders = finderOf(found.promise);
  const { events, receive, written } = openEvents({ senders });
  const interim = { ...transcript('good mor', false), transcribers: ['agent-1'] };
  receive(interim);
  void events.interrupted();
  expect(written).toEqual([]);
  found.resolve([interim]);
  await until(() => written.length > 0);
  expect(written).toEqual(['good mor pending']);
});

test('words that are undecided at an interruption count from their receipt, a delay and a join do not', () => {
  const { events, receive } = openEvents({ senders: finderOf(new Promise(() => {})) });
  events.holdBack(new AbortController().signal, 1);
  receive({ ...presence('participant_joined'), receivedAt: 2 });
  void events.interrupted();
  expect([events.undecidedSince, events.undecidedWordsSince]).toEqual([1, Infinity]);
  receive({ ...packet('hello', undefined, null), receivedAt: 3 });
  expect(events.undecidedWordsSince).toBe(3);
});

test.each([
  ['until what waits is decided', [packet('hello')], 99, Infinity],
  ['but no longer than 100 ms', undefined, 100, 7],
])('an interruption waits, %s', async (_, found, lastsMs, undecidedSince) => {
  startVirtualTime();
  const answer = Promise.withResolvers<RoomEvent[]>();
  const { events, receive } = openEvents({ senders: finderOf(answer.promise) });
  receive({ ...packet('hello', undefined, null), receivedAt: 7 });
  let isOver = false;
  void events.interrupted().finally(() => {
    isOver = true;
  });
  await passTime(99);
  expect(isOver).toBe(false);
  if (found) answer.resolve(found);
  await passTime(lastsMs - 99);
  expect([isOver, events.undecidedWordsSince]).toEqual([true, undecidedSince]);
});

test.each([
  ['a shorter broken version does not replace a whole one', 'good mor', 'good', 'good mor pending'],
  ['a longer broken version replaces a whole one', 'good', 'good mor', 'good mor pending'],
])('%s', async (_, whole, broken, expected) => {
  const { events, receive, written } = openEvents();
  receive(transcript(whole, false));
  receive(transcript(broken, false, false));
  await events.end(true);
  expect(written).toEqual([expected]);
});

test('each join is reported once it is received, even while it waits for its turn', () => {
  const { events, receive, joins, written } = openEvents();
  events.holdBack(new AbortController().signal, 0);
  receive(presence('participant_joined'));
  expect([joins, written]).toEqual([['user-1'], []]);
});

test.each([
  [true, ['Ana joined', 'Ana left']],
  [false, ['Ana joined']],
])(
  'an uncertain leave counts at the end if the connection was up (%s)',
  async (isConnected, expected) => {
    const { events, receive, written } = openEvents();
    receive(presence('participant_joined'));
    receive(presence('participant_left'), isConnected);
    await events.end(isConnected);
    expect(written).toEqual(expected);
  },
);

test('a fresh connection adds the joins that were missed, after the events before it', () => {
  const { events, receive, written } = openEvents();
  receive(presence('participant_joined'));
  void events.interrupted();
  const ben = { ...presence('participant_joined'), participant: { ...agent, name: 'Ben' } };
  events.connected([presence('participant_joined'), ben], 0);
  expect(written).toEqual(['Ana joined', 'Ben joined']);
});
