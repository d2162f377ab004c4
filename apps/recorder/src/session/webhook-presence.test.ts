import type { PresenceEvent, RoomMessage } from '@session/contract/room';
import type { MediaWebhook, RoomInstance } from '@session/media';
import { passTime, startVirtualTime } from '@session/testing/virtual-time';
import { v7 as uuidv7 } from 'uuid';
import { beforeEach, expect, test } from 'vitest';
import { ParticipantNames } from './participant-names.ts';
import { WebhookPresence } from './webhook-presence.ts';

const LEAVE_MS = 5000;

beforeEach(() => startVirtualTime());

const instance: RoomInstance = { sid: 'RM_1', createdAt: 1 };

function reported(type: PresenceEvent['type'], room: string) {
  const participant = { identity: 'user-1', name: 'Ana', sid: 'PA_1', kind: 'standard' };
  const reason = type === 'participant_left' ? 'CLIENT_INITIATED' : null;
  const event = { type, participant, joinedAt: 1, reason, receivedAt: 2 };
  return { room, instance, event } satisfies MediaWebhook;
}

function openPresence(
  isSessionActive: (id: string) => Promise<boolean>,
  isSessionRecorded = async (_id: string) => true,
) {
  const stored: RoomMessage[] = [];
  const announced: string[] = [];
  const rooms: string[] = [];
  const presence = new WebhookPresence({
    isSessionActive,
    isSessionRecorded,
    announcer: { announce: (room, { identity }) => announced.push(`${identity} in ${room}`) },
    sawRoom: (sessionId, { sid }) => rooms.push(`${sid} of ${sessionId}`),
    names: new ParticipantNames({ listParticipantNames: async () => new Map() }),
    writer: { push: (message: RoomMessage) => void stored.push(message) },
    clock: { now: () => 3 },
    leaveMs: LEAVE_MS,
  });
  return { stored, announced, rooms, presence };
}

test('a leave waits for the last words before it, and a join does not; at the end neither waits', async () => {
  const { stored, presence } = openPresence(async () => true);
  const room = uuidv7();
  await presence.receive(reported('participant_left', room));
  await presence.receive(reported('participant_joined', room));
  await passTime(LEAVE_MS - 1);
  expect(stored.map(({ content }) => content)).toEqual(['Ana joined']);
  await presence[Symbol.asyncDispose]();
  expect(stored.map(({ content }) => content)).toEqual(['Ana joined', 'Ana left']);
});

test.each([
  ['answers', async () => true, LEAVE_MS],
  // If the database is silent, a recorder may be in the room.
  ['is silent', () => new Promise<never>(() => {}), 500 + LEAVE_MS],
])(
  'when the database %s, a leave waits for the last words before it, and no longer',
  async (_, isRecorded, waitMs) => {
    const { stored, presence } = openPresence(async () => true, isRecorded);
    await presence.receive(reported('participant_left', uuidv7()));
    await passTime(waitMs - 1);
    expect(stored).toEqual([]);
    await passTime(1);
    expect(stored.map(({ content }) => content)).toEqual(['Ana left']);
  },
);

test('nothing is stored of a closed session, and a room without a session is not looked up', async () => {
  const asked: string[] = [];
  const { stored, presence } = openPresence(async (id) => {
    asked.push(id);
    return false;
  });
  const closed = uuidv7();
  await presence.receive(reported('participant_joined', closed));
  await presence.receive(reported('participant_joined', 'a room of another service'));
  expect([stored, asked]).toEqual([[], [closed]]);
});

test('a leave waits only where a recorder is in the room, and until then it counts as unstored', async () => {
  let isRecorded = true;
  const { stored, presence } = openPresence(
    async () => true,
    async () => isRecorded,
  );
  const [recorded, alone] = [uuidv7(), uuidv7()];
  await presence.receive(reported('participant_left', recorded));
  isRecorded = false;
  await presence.receive(reported('participant_left', alone));
  await passTime(0);
  expect(stored.map(({ sessionId }) => sessionId)).toEqual([alone]);
  expect([presence.leaveWaitsSince(recorded), presence.leaveWaitsSince(alone)]).toEqual([
    2,
    Infinity,
  ]);
  await presence[Symbol.asyncDispose]();
  expect([stored.length, presence.leaveWaitsSince(recorded)]).toEqual([2, Infinity]);
});

test('a webhook that comes while the database is away is not taken, so that the server sends it again', async () => {
  const { stored, presence } = openPresence(() => Promise.reject(new Error('away')));
  await expect(presence.receive(reported('participant_joined', uuidv7()))).rejects.toThrow('away');
  expect(stored).toEqual([]);
});

test('a webhook about a recorder is ignored without a look-up', async () => {
  let lookups = 0;
  const { stored, announced, presence } = openPresence(async () => {
    lookups += 1;
    return true;
  });
  const { room, event } = reported('participant_joined', uuidv7());
  const participant = { ...event.participant, identity: 'recorder-1' };
  await presence.receive({ room, instance, event: { ...event, participant } });
  expect([stored, announced, lookups]).toEqual([[], [], 0]);
});

test('a join that comes twice has the same id both times', async () => {
  const { stored, presence } = openPresence(async () => true);
  const room = uuidv7();
  for (const _ of [1, 2]) await presence.receive(reported('participant_joined', room));
  await presence[Symbol.asyncDispose]();
  expect(stored).toHaveLength(2);
  expect(new Set(stored.map(({ id }) => id)).size).toBe(1);
});

test('a participant who joins is announced before the database is asked, and whatever it answers', async () => {
  const room = uuidv7();
  const { announced, rooms, presence } = openPresence(() => new Promise(() => {}));
  void presence.receive(reported('participant_joined', room)).catch(() => {});
  expect([announced, rooms]).toEqual([[`user-1 in ${room}`], [`RM_1 of ${room}`]]);
});

test('no participant is announced that leaves, or that is in a room of another service', async () => {
  const { announced, rooms, presence } = openPresence(async () => true);
  await presence.receive(reported('participant_left', uuidv7()));
  await presence.receive(reported('participant_joined', 'a room of another service'));
  expect([announced, rooms.length]).toEqual([[], 1]);
  await presence[Symbol.asyncDispose]();
});

test('while the database is away, a webhook of a session that was active is stored', async () => {
  const room = uuidv7();
  const answers = [async () => true, () => Promise.reject(new Error('away'))];
  const { stored, presence } = openPresence(async () => await (answers.shift()?.() ?? false));
  for (const _ of [1, 2]) await presence.receive(reported('participant_joined', room));
  await presence[Symbol.asyncDispose]();
  expect(stored).toHaveLength(2);
});

test('a session that was closed is not known to be active any more', async () => {
  const room = uuidv7();
  const answers = [async () => true, async () => false, () => Promise.reject(new Error('away'))];
  const { stored, presence } = openPresence(async () => await (answers.shift()?.() ?? false));
  const receive = async () => await presence.receive(reported('participant_joined', room));
  await receive();
  await receive();
  await passTime(0);
  await expect(receive()).rejects.toThrow('away');
  expect(stored).toHaveLength(1);
});

test('a webhook waits half a second for a database that is silent', async () => {
  const { presence } = openPresence(() => new Promise(() => {}));
  let code: unknown;
  presence.receive(reported('participant_joined', uuidv7())).catch((error: unknown) => {
    ({ code } = Object(error));
  });
  await passTime(499);
  expect(code).toBeUndefined();
  await passTime(1);
  expect(code).toBe('unavailable');
});

test('a webhook about another event makes the session known, so that the first join need not wait', async () => {
  const room = uuidv7();
  const answer = Promise.withResolvers<boolean>();
  const answers = [Promise.resolve(true), answer.promise];
  const { stored, presence } = openPresence(() => answers.shift() ?? Promise.resolve(true));
  await presence.receive({ room, instance, event: undefined });
  await passTime(0);
  await presence.receive(reported('participant_joined', room));
  expect(stored).toEqual([]);
  answer.resolve(true);
  await presence[Symbol.asyncDispose]();
  expect(stored.map(({ content }) => content)).toEqual(['Ana joined']);
});
