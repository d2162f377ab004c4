import type { PresenceEvent, RoomEvent, RoomMessage } from '@session/contract/room';
import { expect, test } from 'vitest';
import { NO_TEXTS } from '../../testing/session-events.ts';
import { createLog } from '../process/log.ts';
import { ParticipantNames } from './participant-names.ts';
import { SenderLookup } from './sender-lookup.ts';
import { SessionEvents } from './session-events.ts';
import { SkipCounts } from './skip-counts.ts';
import { UnstoredWords } from './unstored-words.ts';

const NEVER_MS = 2 ** 31 - 1;
const ana = { identity: 'guest', name: 'Ana', sid: 'PA_1', kind: 'standard' };

/** The events of a session in which nothing is decided by time. */
function openEvents() {
  const written: RoomMessage[] = [];
  const writer = { push: (message: RoomMessage) => void written.push(message) };
  const events = new SessionEvents({
    texts: NO_TEXTS,
    sessionId: 's',
    names: new ParticipantNames({ listParticipantNames: async () => new Map() }),
    senders: new SenderLookup({
      announce: () => {},
      isSigned: () => false,
      listParticipants: async () => [],
      senderMs: 0,
    }),
    writer,
    leadership: writer,
    skipped: new SkipCounts(),
    log: createLog('silent'),
    timing: {
      falseLeaveMs: NEVER_MS,
      overtakeMs: NEVER_MS,
      interimMs: NEVER_MS,
      checkpointMs: NEVER_MS,
    },
  });
  const receive = (event: RoomEvent, unsavedSince?: number) => {
    const isConnected = true;
    const announced = new Set<string>();
    const since = unsavedSince === undefined ? {} : { unsavedSince };
    events.receive({ event, isConnected, announced, ...since });
  };
  return { events, receive, written };
}

function transcript(text: string, isFinal: boolean, receivedAt: number): RoomEvent {
  return {
    type: 'text_stream',
    topic: 'lk.transcription',
    streamId: `S_${receivedAt}`,
    attributes: { 'lk.transcription_final': String(isFinal), 'lk.segment_id': 'SG_1' },
    text,
    hasEnded: true,
    sentAt: 0,
    sender: ana,
    receivedAt,
  };
}

function presence(type: PresenceEvent['type'], receivedAt: number): PresenceEvent {
  return { type, participant: ana, joinedAt: 1, reason: null, receivedAt };
}

test('an uncertain leave is unstored until it turns out to be false', async () => {
  const { events, receive } = openEvents();
  receive(presence('participant_joined', 1));
  await expect.poll(() => events.unstoredSince(undefined)).toBe(undefined);
  receive(presence('participant_left', 5));
  expect(events.unstoredSince(undefined)).toBe(5);
  receive(presence('participant_joined', 9));
  await expect.poll(() => events.unstoredSince(undefined)).toBe(undefined);
});

test('a segment is unstored from its first interim transcript until the final one is stored', async () => {
  const { events, receive, written } = openEvents();
  receive(transcript('I', false, 10), 8);
  receive(transcript('I s', false, 20), 18);
  await expect.poll(() => events.unstoredSince(undefined)).toBe(8);
  receive(transcript('I see', true, 30), 28);
  await expect.poll(() => written.map(({ content }) => content)).toEqual(['I see']);
  // The history writer still has it.
  expect(events.unstoredSince(30)).toBe(8);
  expect(events.unstoredSince(31)).toBe(undefined);
});

test('words that are passed on count until the history writer has nothing as old as their message', () => {
  const words = new UnstoredWords();
  words.passOn(10, 40);
  words.passOn(20, 50);
  expect([words.oldestAt(35), words.oldestAt(40), words.oldestAt(41)]).toEqual([10, 10, 20]);
  expect(words.oldestAt(undefined)).toBe(undefined);
});

test('while nothing can be stored, a flood of texts takes no memory here, and hides no word', () => {
  const words = new UnstoredWords();
  for (let at = 1; at <= 10_000; at += 1) words.passOn(at, at + 100);
  expect(words.oldestAt(1)).toBe(1);
  expect(words.oldestAt(10_101)).toBe(undefined);
});

test('words that are held again are unstored since they were held first', () => {
  const words = new UnstoredWords();
  words.hold('text', 10);
  words.hold('text', 20);
  expect(words.oldestAt(undefined)).toBe(10);
  expect(words.release('text')).toBe(10);
});
