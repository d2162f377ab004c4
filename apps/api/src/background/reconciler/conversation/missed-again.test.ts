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
const RUNNING = { phase: 'running' } as const;

/**
 * Opens an agent of `role` that has been Running for `joinedMsAgo` when this process begins to lead. `room.failures`: how many
 * looks into its room fail.
 */
function openAfterTakeover(role: string, joinedMsAgo: number) {
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
  const room = { failures: 0 };
  const rooms = {
    ...deps.rooms,
    async listParticipants() {
      room.failures -= 1;
      if (room.failures >= 0) throw new Error('away');
      return participants;
    },
    async sendPacketTo(_room: string, _identity: string, packet: object) {
      sent.push(packet);
    },
  };
  const identity = agentIdentity({ role, agentId: AGENT_ID });
  participants.push(participant({ identity, state: 'active', isAnnounced: true }));
  const row = agentRow({ role, startedAt, status: 'Running', nowMs: NOW, joinedAt });
  const supervision = { ...deps, rooms };
  const agent =
    role === 'external' ? new ExternalAgent(supervision) : new SupervisedAgent(supervision);
  return { agent, row, room, calls, sent };
}

test.for(['echo-agent', 'external'])(
  'what the %s missed is sent again if its former leader may have ended before it had sent all',
  async (role) => {
    for (const joinedMsAgo of [29_000, 31_000]) {
      const { agent, row, calls, sent } = openAfterTakeover(role, joinedMsAgo);
      await using _ = agent;
      for (let round = 0; round < 2; round += 1) {
        await agent.reconcile(row, RUNNING);
        await vi.advanceTimersByTimeAsync(1);
      }
      expect(calls).toEqual([]);
      expect(sent).toMatchObject(joinedMsAgo < 30_000 ? [{ data: 'before', missed: true }] : []);
    }
  },
);

test('if nobody can look into the room, the round fails, and the next one sends it', async () => {
  const { agent, row, room, sent } = openAfterTakeover('echo-agent', 29_000);
  await using _ = agent;
  room.failures = 1;
  await expect(agent.reconcile(row, RUNNING)).rejects.toThrow('away');
  await agent.reconcile(row, RUNNING);
  await vi.advanceTimersByTimeAsync(1);
  expect(sent).toMatchObject([{ data: 'before', missed: true }]);
});

test('a process that leads again sends what an external agent has missed since', async () => {
  const { agent, row, sent } = openAfterTakeover('external', 29_000);
  await using _ = agent;
  await agent.reconcile(row, RUNNING);
  await vi.advanceTimersByTimeAsync(5000);
  expect(sent).toHaveLength(4);
  // Another process led: the agent left, and came back.
  const nowMs = NOW + 5000;
  const missedSince = new Date(NOW + 1000).toISOString();
  await agent.reconcile({ ...row, nowMs, missedSince, joinedAt: NOW + 2000 }, RUNNING);
  await vi.advanceTimersByTimeAsync(1);
  expect(sent.slice(4)).toMatchObject([{ data: 'before' }, { data: 'after' }]);
});
