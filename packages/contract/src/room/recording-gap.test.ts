import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { messageIdOf } from './message-id.ts';
import { floodGap, recordingGap } from './recording-gap.ts';

const sessionId = '0197a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';
const gap = {
  sessionId,
  from: '2026-11-21T08:00:00.250Z',
  to: '2026-11-21T08:00:09.000Z',
  reason: 'recorder_died',
};

test('a gap is a system message that says from when to when, and why', () => {
  expect(recordingGap(gap, 7)).toEqual({
    id: 'e911645f-c130-57fa-b13a-db85af19539e',
    sessionId,
    role: 'system',
    status: null,
    kind: 'recording_gap',
    content:
      'Nothing was recorded from 2026-11-21T08:00:00.250Z to 2026-11-21T08:00:09.000Z (recorder died)',
    metadata: {
      kind: 'recording_gap',
      participant: null,
      source: 'recorder',
      rawId: gap.from,
      from: gap.from,
      to: gap.to,
      reason: 'recorder_died',
    },
    receivedAt: 7,
  });
});

test.each([
  ['stalled', 'stalled'],
  ['connection_lost', 'connection lost'],
  ['state_mismatch_of_room', 'state mismatch of room'],
  ['not_started', 'not started'],
])('the reason %s reads as "%s", and stays as it is in the metadata', (reason, words) => {
  const { content, metadata } = recordingGap({ ...gap, reason }, 7);
  expect(content).toMatch(new RegExp(`\\(${words}\\)$`));
  expect(metadata.reason).toBe(reason);
});

test('two recorders that report one gap report one message, whenever they find it', () => {
  const isoTime = fc
    .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString());
  fc.assert(
    fc.property(isoTime, isoTime, isoTime, fc.nat(), fc.nat(), (from, to, otherTo, at, later) => {
      const one = recordingGap({ ...gap, from, to }, at);
      const other = recordingGap({ ...gap, from, to: otherTo, reason: 'stalled' }, later);
      expect(other.id).toBe(one.id);
      expect(one.id).toBe(messageIdOf(sessionId, 'recording_gap', from));
      expect([one.receivedAt, other.receivedAt]).toEqual([at, later]);
    }),
  );
});

test('gaps that begin at different times, or in different sessions, are different messages', () => {
  const { id } = recordingGap(gap, 7);
  expect(recordingGap({ ...gap, from: '2026-11-21T08:00:00.251Z' }, 7).id).not.toBe(id);
  const other = { ...gap, sessionId: '0197a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5c' };
  expect(recordingGap(other, 7).id).not.toBe(id);
});

test('the gap of a flood contains its last message', () => {
  const from = Date.parse(gap.from);
  const flood = { sessionId, participant: null, from, until: from + 9, count: 3 };
  const { content, metadata, receivedAt } = floodGap(flood, 'id');
  expect(content).toBe(
    '3 messages of an unknown sender were not recorded from 2026-11-21T08:00:00.250Z to 2026-11-21T08:00:00.260Z (flood)',
  );
  expect([metadata.to, receivedAt]).toEqual(['2026-11-21T08:00:00.260Z', from + 9]);
});
