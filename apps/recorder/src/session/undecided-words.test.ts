import type { PresenceEvent, RoomEvent, TextStreamEvent } from '@session/contract/room';
import { expect, test } from 'vitest';
import { NO_TEXTS } from '../../testing/session-events.ts';
import type { StorableMessage } from '../message-path.ts';
import { createLog } from '../process/log.ts';
import { TIMING } from '../timing.ts';
import { ParticipantNames } from './participant-names.ts';
import { SenderLookup } from './sender-lookup.ts';
import { SessionEvents } from './session-events.ts';
import { SkipCounts } from './skip-counts.ts';

const NEVER_MS = 2 ** 31 - 1;
const ana = { identity: 'guest', name: 'Ana', sid: 'PA_1', kind: 'standard' };

/** Returns the events of a session in which nothing is decided by time. */
function openEvents() {
  const written: StorableMessage[] = [];
  const messages = { push: (message: StorableMessage) => void written.push(message) };
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
    messages,
    skipped: new SkipCounts(),
    log: createLog('silent'),
    timing: {
      ...TIMING,
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

function transcript(text: string, isFinal: boolean, receivedAt: number): TextStreamEvent {
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

test('an uncertain leave is undecided until it turns out to be false', async () => {
  const { events, receive } = openEvents();
  receive(presence('participant_joined', 1));
  await expect.poll(() => events.undecidedSince).toBe(Infinity);
  receive(presence('participant_left', 5));
  expect(events.undecidedSince).toBe(5);
  receive(presence('participant_joined', 9));
  await expect.poll(() => events.undecidedSince).toBe(Infinity);
});

test('a segment is undecided from its first interim transcript until the final one is passed on, which has the time of its oldest word', async () => {
  const { events, receive, written } = openEvents();
  receive(transcript('I', false, 10), 8);
  receive(transcript('I s', false, 20), 18);
  await expect.poll(() => events.undecidedSince).toBe(8);
  receive(transcript('I see', true, 30), 28);
  await expect.poll(() => written.map(({ content }) => content)).toEqual(['I see']);
  expect(written).toMatchObject([{ since: 8, receivedAt: 30 }]);
  expect(events.undecidedSince).toBe(Infinity);
});

test('an interim transcript that is stored early takes its words with it: the next one begins with its own', async () => {
  const { events, receive, written } = openEvents();
  receive(presence('participant_joined', 1));
  receive(transcript('I', false, 10), 8);
  await expect.poll(() => events.undecidedSince).toBe(8);
  receive({ ...presence('participant_left', 11), reason: 'CLIENT_INITIATED' });
  await expect.poll(() => written.map(({ since }) => since)).toEqual([undefined, 8, undefined]);
  receive(transcript('I see', true, 20), 18);
  await expect.poll(() => written.at(-1)).toMatchObject({ content: 'I see', since: 18 });
});

test('words whose text is reported again before it is decided are undecided since they were received first', async () => {
  const { events, receive, written } = openEvents();
  const ofAgent = { ...transcript('I', false, 30), transcribers: ['agent-1'] };
  receive(ofAgent, 10);
  receive({ ...ofAgent, text: 'I s', receivedAt: 40 }, 20);
  expect(events.undecidedSince).toBe(10);
  receive({ ...ofAgent, ...transcript('I see', true, 50), streamId: ofAgent.streamId });
  await expect.poll(() => written).toMatchObject([{ content: 'I see', since: 10 }]);
});
