import { messageIdOf } from '@session/contract/room';
import type { SaidMessage } from '@session/db';
import { startVirtualTime } from '@session/testing/virtual-time';
import { v7 as uuidv7 } from 'uuid';
import { expect, test, vi } from 'vitest';
import { fakeDatabase } from '../../../../testing/answered-database.ts';
import { agentRow, fakeSupervision } from '../../../../testing/supervision.ts';
import { MissedTexts } from './missed-texts.ts';

const row = agentRow();
const REQUESTED = Date.parse(row.createdAt);
const READY = REQUESTED + 2100;
const JOINED = REQUESTED + 2000;
const participant = { identity: 'agent-1', joinedAt: JOINED };

/** Returns a text that was stored `afterMs` after the agent's request. */
function text(afterMs: number, part: Partial<SaidMessage> = {}): SaidMessage {
  const id = uuidv7();
  const timestamp = new Date(REQUESTED + afterMs).toISOString();
  const nothing = { identity: null, name: null, hasIdConflict: false };
  return { id, rawId: id, timestamp, kind: 'text', content: `${afterMs}`, ...nothing, ...part };
}

function isBefore(timestamp: string, until: unknown): boolean {
  return typeof until === 'string' && timestamp < until;
}

/**
 * Returns what is sent to an agent that joins a room with this `history`, both by the last look and by each look, and
 * what is logged. `late` is stored after the first look. The clock of this process is `behindMs` behind the database's.
 */
async function sentTo(
  history: readonly SaidMessage[],
  {
    failures = 0,
    late = [],
    behindMs = 0,
    ...change
  }: {
    failures?: number;
    late?: readonly SaidMessage[];
    behindMs?: number;
  } & Partial<typeof row> = {},
) {
  const [looks, logged]: [{ at: number; sent: object[] }[], string[]] = [[], []];
  startVirtualTime(READY - behindMs);
  const { deps } = fakeSupervision();
  await using missed = new MissedTexts({
    ...deps,
    database: fakeDatabase(async (name, [, after, , spokenBefore]) => {
      const now = Date.now() + behindMs;
      if (name === 'read_clock') return [{ nowMs: now }];
      looks.push({ at: now - READY, sent: [] });
      const stored = looks.length > 1 ? [...late, ...history] : history;
      // The statement reads the newest first.
      return stored
        .filter(({ kind, timestamp }) => kind === 'text' || isBefore(timestamp, spokenBefore))
        .filter(({ timestamp }) => timestamp > String(after))
        .toReversed();
    }),
    rooms: {
      ...deps.rooms,
      async sendPacketTo(room, identity, packet) {
        expect([room, identity]).toEqual([row.sessionId, 'agent-1']);
        failures -= 1;
        if (failures >= 0) throw new Error('away');
        looks.at(-1)?.sent.push(packet);
      },
    },
    log: {
      ...deps.log,
      info: (_: unknown, message?: string) => void logged.push(String(message)),
      warn: (_: unknown, message?: string) => void logged.push(String(message)),
    },
  });
  missed.send({ ...row, ...change }, participant);
  missed.send({ ...row, ...change }, participant);
  await vi.advanceTimersByTimeAsync(60_000);
  return { sent: looks.at(-1)?.sent, logged, looks };
}

test('an agent gets the texts since its request, the oldest first, under the ids of the room', async () => {
  const named = text(30, { id: messageIdOf(row.sessionId, 'text', 'm-1'), rawId: 'm-1' });
  const taken = uuidv7();
  const renamed = text(40, {
    id: messageIdOf(row.sessionId, 'text', 'x'),
    rawId: taken,
    hasIdConflict: true,
  });
  const { sent } = await sentTo([text(-1), text(10), named, renamed]);
  expect(sent).toEqual([
    { type: 'user_text', data: '10', id: expect.stringMatching(/-7/), missed: true },
    { type: 'user_text', data: '30', id: 'm-1', missed: true },
    { type: 'user_text', data: '40', id: taken, missed: true },
  ]);
});

test('a text that a packet cannot name alike is marked, and sent only if the agent was not ready yet', async () => {
  const nameless = (afterMs: number) => text(afterMs, { rawId: null });
  // A text stream of Ann: its id is derived from her name too.
  const id = messageIdOf(row.sessionId, 'text', 'stream-1', 'ann');
  const ann = { identity: 'ann', name: 'Ann' };
  const stream = (afterMs: number) => text(afterMs, { id, rawId: 'stream-1', ...ann });
  const { sent } = await sentTo([nameless(1), stream(2), nameless(2101), stream(2102), text(2103)]);
  const marked = { type: 'user_text', id: expect.any(String), missed: true, resent: true };
  expect(sent).toEqual([
    { ...marked, data: '1' },
    { ...marked, data: '2', id, sender: ann },
    { type: 'user_text', data: '2103', id: expect.any(String), missed: true },
  ]);
});

test('only a successor gets what people spoke before it joined: it hears later words itself', async () => {
  const ann = { identity: 'ann', name: 'Ann' };
  const spoken = (afterMs: number, part: Partial<SaidMessage> = {}) =>
    text(afterMs, { kind: 'transcript', ...ann, ...part });
  const first = spoken(10);
  const derived = spoken(20, { rawId: 'SG_1' });
  const history = [first, derived, text(30), spoken(2000)];
  const { sent } = await sentTo(history, { isSuccessor: true });
  const marked = { type: 'user_text', sender: ann, missed: true, resent: true };
  expect(sent).toEqual([
    { ...marked, data: '10', id: first.id },
    { ...marked, data: '20', id: derived.id },
    { type: 'user_text', data: '30', id: expect.any(String), missed: true },
  ]);
  expect((await sentTo(history)).sent).toMatchObject([{ data: '30' }]);
});

test('what the agent has surely got itself is not sent, nor what no packet can carry', async () => {
  const { sent } = await sentTo([text(1, { content: 'x'.repeat(63_000) }), text(3000), text(3101)]);
  expect(sent).toMatchObject([{ data: '3000' }]);
});

test('an agent gets the same texts when the clock of this process is behind the database’s', async () => {
  const { sent } = await sentTo([text(2000), text(2000, { rawId: null }), text(3101)], {
    behindMs: 3000,
  });
  expect(sent).toMatchObject([{ data: '2000' }, { data: '2000', resent: true }]);
});

test('a recorder stores a text late: the history is looked at four times, for the last time after 4.5 s', async () => {
  const { looks } = await sentTo([]);
  expect(looks.map(({ at }) => at)).toEqual([0, 500, 2000, 4500]);
});

test('each look sends all texts, because the media server drops a packet for a data channel that is not open', async () => {
  const { looks, logged } = await sentTo([text(2), text(3)], { late: [text(1)] });
  const both = [{ data: '2' }, { data: '3' }];
  const all = [{ data: '1' }, ...both];
  expect(looks.map(({ sent }) => sent)).toMatchObject([both, all, all, all]);
  expect(logged).toEqual(['sent earlier texts to agent']);
});

test('after a look that fails the next one sends all texts', async () => {
  const history = [text(1), text(2), text(3)];
  const { looks, logged } = await sentTo(history, { failures: 1 });
  const all = [{ data: '1' }, { data: '2' }, { data: '3' }];
  expect(looks.map(({ sent }) => sent)).toMatchObject([[], all, all, all]);
  expect(logged).toEqual(['sent earlier texts to agent']);
  const failed = await sentTo(history, { failures: 4 });
  expect(failed).toMatchObject({
    sent: [],
    logged: ['sending earlier texts failed; agent may have missed some'],
  });
});

test('an agent that was restarted gets the texts since the end of its last workload', async () => {
  const missedSince = new Date(REQUESTED + 1100).toISOString();
  const { sent } = await sentTo([text(500), text(1500)], { restarts: 2, missedSince });
  expect(sent).toMatchObject([{ data: '1500' }]);
});
