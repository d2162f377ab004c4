import type { RoomMessage } from '@session/contract/room';
import type { RoomPresence } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { WebhookPresence } from './webhook-presence.ts';

const NEVER_MS = 2 ** 31 - 1;

function reported(type: RoomPresence['event']['type'], room: string): RoomPresence {
  const participant = { identity: 'user-1', name: 'Ana', sid: 'PA_1', kind: 'standard' };
  const reason = type === 'participant_left' ? 'CLIENT_INITIATED' : null;
  return { room, event: { type, participant, joinedAt: 1, reason, receivedAt: 2 } };
}

function openPresence(isSessionActive: (id: string) => Promise<boolean>) {
  const stored: RoomMessage[] = [];
  const writer = { push: (message: RoomMessage) => void stored.push(message) };
  const presence = new WebhookPresence({ isSessionActive, writer, leaveMs: NEVER_MS });
  return { stored, presence };
}

test('a leave waits for the last words before it, and a join does not; at the end neither waits', async () => {
  const { stored, presence } = openPresence(async () => true);
  const room = uuidv7();
  await presence.receive(reported('participant_left', room));
  await presence.receive(reported('participant_joined', room));
  await new Promise((resolve) => setImmediate(resolve));
  expect(stored.map(({ content }) => content)).toEqual(['Ana joined']);
  await presence[Symbol.asyncDispose]();
  expect(stored.map(({ content }) => content)).toEqual(['Ana joined', 'Ana left']);
});

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

test('a webhook that comes while the database is away is not taken, so that the server sends it again', async () => {
  const { stored, presence } = openPresence(() => Promise.reject(new Error('away')));
  await expect(presence.receive(reported('participant_joined', uuidv7()))).rejects.toThrow('away');
  expect(stored).toEqual([]);
});

test('a webhook about a recorder is ignored without a look-up', async () => {
  let lookups = 0;
  const { stored, presence } = openPresence(async () => {
    lookups += 1;
    return true;
  });
  const { room, event } = reported('participant_joined', uuidv7());
  const participant = { ...event.participant, identity: 'recorder-1' };
  await presence.receive({ room, event: { ...event, participant } });
  expect([stored, lookups]).toEqual([[], 0]);
});

test('a join that comes twice has the same id both times', async () => {
  const { stored, presence } = openPresence(async () => true);
  const room = uuidv7();
  for (const _ of [1, 2]) await presence.receive(reported('participant_joined', room));
  expect(stored).toHaveLength(2);
  expect(new Set(stored.map(({ id }) => id)).size).toBe(1);
});
