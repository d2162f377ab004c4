import { agentIdentity } from '@session/contract/room';
import type { SaidMessage } from '@session/db';
import { startVirtualTime } from '@session/testing/virtual-time';
import { v7 as uuidv7 } from 'uuid';
import { expect, test, vi } from 'vitest';
import {
  AGENT_ID,
  agentRow,
  fakeSupervision,
  participant,
} from '../../../../testing/supervision.ts';
import { ExternalAgent } from '../external-agent.ts';
import { SupervisedAgent } from '../supervised-agent.ts';

const startedAt = '2026-11-21T08:00:00.000Z';
const NOW = Date.parse(startedAt) + 40_000;

/** Returns which texts a process sends that begins to lead when an agent of `role` has been Running for `joinedMsAgo`. */
async function sentAfterTakeover(role: string, joinedMsAgo: number) {
  startVirtualTime(NOW);
  const joinedAt = NOW - joinedMsAgo;
  const nothing = { identity: null, name: null, hasIdConflict: false };
  const texts = ['before', 'after'].map((content): SaidMessage => {
    const timestamp = new Date(joinedAt + (content === 'before' ? -100 : 100)).toISOString();
    return { id: uuidv7(), rawId: null, timestamp, kind: 'text', content, ...nothing };
  });
  const { deps, participants, calls } = fakeSupervision({}, (name) =>
    name === 'list_texts_after' ? Promise.resolve(texts.toReversed()) : undefined,
  );
  const sent: unknown[] = [];
  const rooms = {
    ...deps.rooms,
    async sendPacketTo(_room: string, _identity: string, packet: object) {
      sent.push(packet);
    },
  };
  const identity = agentIdentity({ role, agentId: AGENT_ID });
  participants.push(participant({ identity, state: 'active', isAnnounced: true }));
  const row = agentRow({ role, startedAt, status: 'Running', nowMs: NOW, joinedAt });
  const supervision = { ...deps, rooms };
  await using agent =
    role === 'external' ? new ExternalAgent(supervision) : new SupervisedAgent(supervision);
  for (let round = 0; round < 2; round += 1) {
    await agent.reconcile(row, { phase: 'running' });
    await vi.advanceTimersByTimeAsync(1);
  }
  expect(calls).toEqual([]);
  return sent;
}

test.for(['echo-agent', 'external'])(
  'what the %s missed is sent again if its former leader may have ended before it had sent all',
  async (role) => {
    expect(await sentAfterTakeover(role, 29_000)).toMatchObject([{ data: 'before', missed: true }]);
    expect(await sentAfterTakeover(role, 31_000)).toEqual([]);
  },
);
