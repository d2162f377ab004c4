import type {
  Participant,
  PresenceEvent,
  RoomEvent,
  RoomMessage,
  TextStreamEvent,
} from '@session/contract/room';
import { expect, test } from 'vitest';
import { FAST, until } from '../../testing/stage.ts';
import type { ReceivedText, SenderFinder } from '../message-path.ts';
import { createLog } from '../process/log.ts';
import { SenderLookup } from './sender-lookup.ts';
import { SessionEvents } from './session-events.ts';
import { SkipCounts } from './skip-counts.ts';

const NEVER_MS = 2 ** 31 - 1;
const ana = { identity: 'user-1', name: 'Ana', sid: 'PA_1', kind: 'standard' };
const agent = { identity: 'agent-1', name: 'Echo', sid: 'PA_2', kind: 'agent' };

function transcript(text: string, isFinal: boolean, hasEnded = true): TextStreamEvent {
  return {
    type: 'text_stream',
    topic: 'lk.transcription',
    streamId: 'S_1',
    attributes: { 'lk.transcription_final': String(isFinal), 'lk.segment_id': 'SG_1' },
    text,
    hasEnded,
    sentAt: 0,
    sender: ana,
    receivedAt: 0,
  };
}

function packet(data: string, id?: string, sender: Participant | null = ana): RoomEvent {
  const payload = new TextEncoder().encode(JSON.stringify({ type: 'user_text', data, id }));
  return { type: 'packet', payload, sender, receivedAt: 0 };
}

function presence(type: PresenceEvent['type'], reason: string | null = null): PresenceEvent {
  return { type, participant: ana, joinedAt: 1, reason, receivedAt: 0 };
}

function fail(): never {
  throw new Error('a fault');
}

const summaryOf = ({ content, status }: RoomMessage) => `${content} ${status ?? ''}`.trim();

interface Replaced {
  readonly senders?: SenderFinder;
  readonly overtakeMs?: number;
  readonly interimMs?: number;
}

/** The events of a session, and the messages that they become: with an id from the room, and without. */
function openEvents({ senders, overtakeMs = NEVER_MS, interimMs = NEVER_MS }: Replaced = {}) {
  const written: string[] = [];
  const withoutId: string[] = [];
  const joins: string[] = [];
  const skipped = new SkipCounts();
  const events = new SessionEvents({
    names: { load: () => undefined, named: (event) => event },
    sessionId: 's',
    senders:
      senders ??
      new SenderLookup({ announce: () => {}, listParticipants: async () => [], senderMs: 0 }),
    writer: { push: (message) => written.push(summaryOf(message)) },
    leadership: { push: (message) => withoutId.push(summaryOf(message)) },
    sawJoin: ({ participant }) => joins.push(participant.identity),
    skipped,
    log: createLog('silent'),
    timing: { falseLeaveMs: NEVER_MS, overtakeMs, interimMs, checkpointMs: NEVER_MS },
  });
  const receive = (event: RoomEvent, isConnected = true) =>
    events.receive({ event, isConnected, announced: new Set() });
  return { events, receive, written, withoutId, joins, skipped };
}

test('an event that cannot be recorded is lost alone, even if that shows only later', async () => {
  const skipped = new SkipCounts();
  const events = new SessionEvents({
    names: { load: () => undefined, named: (event) => event },
    sessionId: 's',
    senders: new SenderLookup({
      announce: () => {},
      listParticipants: async () => [],
      senderMs: FAST.senderMs,
    }),
    writer: { push: fail },
    leadership: { push: fail },
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

test('a message with an id from the room goes to the history writer, any other to the leader or standby', () => {
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
  const senders: SenderFinder = {
    completeSender: () => found.promise,
    noteAnnounced: () => {},
    completeTextSender: () => found.promise,
  };
  const { events, receive, withoutId } = openEvents({ senders });
  receive({ ...packet('first', undefined, null), receivedAt: 7 });
  receive({ ...packet('second'), receivedAt: 8 });
  expect([withoutId, events.unstoredSince(undefined)]).toEqual([[], 7]);
  found.resolve([packet('first', undefined, agent)]);
  await until(() => withoutId.length === 2);
  expect(withoutId).toEqual(['first complete', 'second complete']);
  expect(events.unstoredSince(undefined)).toBeUndefined();
});

test('events wait behind the end of a text until the text is known, and neither counts as stored meanwhile', async () => {
  const known = Promise.withResolvers<ReceivedText[]>();
  const { events, receive, written } = openEvents();
  events.receiveEnd({ receivedAt: 7, texts: known.promise });
  receive({ ...packet('answer', 'second'), receivedAt: 8 });
  receive(presence('participant_left', 'CLIENT_INITIATED'));
  expect([written, events.unstoredSince(undefined)]).toEqual([[], 7]);
  const event = { ...transcript('question', true), receivedAt: 7 };
  known.resolve([{ event, isConnected: true, announced: new Set(), unsavedSince: 3 }]);
  await until(() => written.length === 3);
  expect(written).toEqual(['question complete', 'answer complete', 'Ana left']);
  // The history writer has not stored the text, whose first words came at 3.
  expect([events.unstoredSince(7), events.unstoredSince(undefined)]).toEqual([3, undefined]);
});

test('a text that ends before its sender is known keeps its position while the sender is looked up', async () => {
  const found = Promise.withResolvers<RoomEvent[]>();
  const senders: SenderFinder = {
    completeSender: async () => [],
    noteAnnounced: () => {},
    completeTextSender: () => found.promise,
  };
  const { events, receive, written } = openEvents({ senders });
  const event = { ...transcript('question', true), sender: { ...ana, sid: null } };
  const text = { event, isConnected: true, announced: new Set<string>() };
  events.receiveEnd({ receivedAt: 0, texts: Promise.resolve([text]) });
  receive(packet('answer', 'second'));
  expect(written).toEqual([]);
  found.resolve([transcript('question', true)]);
  await until(() => written.length === 2);
  expect(written).toEqual(['question complete', 'answer complete']);
});

test('an end without a text, and a text that is cut off at the end of the recording, hold nothing back', async () => {
  const cut = Promise.withResolvers<ReceivedText[]>();
  const { events, receive, written } = openEvents();
  events.receiveEnd({ receivedAt: 0, texts: Promise.resolve([]) });
  receive(packet('first', '1'));
  await until(() => written.length === 1);
  events.receiveEnd({ receivedAt: 0, texts: cut.promise });
  receive(packet('second', '2'));
  const ended = events.end(true);
  cut.resolve([{ event: transcript('cut', true, false), isConnected: true, announced: new Set() }]);
  await ended;
  expect(written).toEqual(['first complete', 'cut pending', 'second complete']);
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
  const limited = openEvents({ overtakeMs: 1 });
  limited.events.holdBack(new AbortController().signal, 0);
  limited.receive(packet('late'));
  await until(() => limited.withoutId.length === 1);
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
  const silent = openEvents({ interimMs: 1 });
  silent.receive(transcript('good mor', false));
  await until(() => silent.written.length === 1);
  expect(silent.written).toEqual(['good mor pending']);
  const ended = openEvents();
  ended.receive(transcript('good mor', false));
  await ended.events.end(true);
  expect(ended.written).toEqual(['good mor pending']);
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
  events.interrupted();
  const ben = { ...presence('participant_joined'), participant: { ...agent, name: 'Ben' } };
  events.connected([presence('participant_joined'), ben], 0);
  expect(written).toEqual(['Ana joined', 'Ben joined']);
});
