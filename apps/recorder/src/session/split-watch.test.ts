import type { PresenceEvent } from '@session/contract/room';
import type { ListedParticipant } from '@session/media';
import { expect, onTestFinished, test } from 'vitest';
import { logTo } from '../../testing/log-to.ts';
import { SplitWatch } from './split-watch.ts';

const NOW = 100_000;

function joined(identity: string): PresenceEvent {
  const participant = { identity, name: '', sid: `PA_${identity}`, kind: 'standard' };
  return { type: 'participant_joined', participant, joinedAt: 1, reason: null, receivedAt: 0 };
}

function listed(identity: string, joinedAt: number): ListedParticipant {
  const participant = { identity, name: '', sid: `PA_${identity}`, kind: 'standard', joinedAt };
  const state = { state: 'active', isHidden: false, isAnnounced: true, readsTexts: false };
  return { ...participant, ...state, trackSids: [] };
}

/** Returns since when a participant has been in another room, as the coverage and the link are told. */
async function splitSince(joinedAt: number, serverLeadMs: number): Promise<number[]> {
  const since: number[] = [];
  const changed = Promise.withResolvers<void>();
  const link = {
    state: 'up',
    isReceiving: true,
    receivesSince: 1,
    serverLeadMs,
    roster: () => [joined('ana')],
    giveUp: (_reason: string, at: number) => void since.push(at),
  } as const;
  const watch = new SplitWatch({
    sessionId: 'session',
    rooms: {
      listParticipants: async () => [listed('ana', 1), listed('bea', joinedAt)],
      hasParticipant: async () => true,
    },
    queries: { listPresentIdentities: async () => [] },
    coverage: { isSplit: false, split: (at) => void since.push(at), reunited: () => {} },
    connection: { link, links: [link] },
    changed: () => changed.resolve(),
    log: logTo(),
    clock: { now: () => NOW },
    timing: { splitCheckMs: 60_000, absentMs: 0 },
  });
  onTestFinished(() => watch[Symbol.dispose]());
  await changed.promise;
  return since;
}

test.each([
  ['by the same clock', 90_000, 0, 90_000],
  ['by a clock that is ahead', 130_000, 40_000, 90_000],
  ['by a clock that is behind', 50_000, -40_000, 90_000],
  ['by a clock that is ahead of that of this recorder’s node', 130_000, 0, NOW],
])(
  'nothing is covered since a participant joined another room, %s',
  async (_, joinedAt, leadMs, since) => {
    expect(await splitSince(joinedAt, leadMs)).toEqual([since, since]);
  },
);
