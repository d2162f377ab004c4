import type { PresenceEvent } from '@session/contract/room';
import { expect } from 'vitest';
import { openTestHistoryWriter } from '../../testing/history-writer.ts';
import { NO_TEXTS } from '../../testing/session-events.ts';
import { FAST } from '../../testing/stage.ts';
import { test } from '../../testing/stage-test.ts';
import { createLog } from '../process/log.ts';
import { queriesOn } from '../queries.ts';
import { ParticipantNames } from './participant-names.ts';
import { SenderLookup } from './sender-lookup.ts';
import { SessionEvents } from './session-events.ts';
import { SkipCounts } from './skip-counts.ts';

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
    messages: writer,
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
