import type { RoomMessage } from '@session/contract/room';
import type { RoomPresence } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { ToldPresence } from './webhook-presence.ts';

const NEVER_MS = 2 ** 31 - 1;

function told(type: RoomPresence['event']['type'], room: string): RoomPresence {
  const participant = { identity: 'user-1', name: 'Ana', sid: 'PA_1', kind: 'standard' };
  const reason = type === 'participant_left' ? 'CLIENT_INITIATED' : null;
  return { room, event: { type, participant, joinedAt: 1, reason, receivedAt: 2 } };
}

function listen(isSessionActive: (id: string) => Promise<boolean>) {
  const got: RoomMessage[] = [];
  const push = (message: RoomMessage) => void got.push(message);
  return { got, presence: new ToldPresence({ isSessionActive, push, leaveMs: NEVER_MS }) };
}

test('a leave waits for the last words before it, a join for nothing; at the end neither does', async () => {
  const { got, presence } = listen(async () => true);
  const room = uuidv7();
  await presence.receive(told('participant_left', room));
  await presence.receive(told('participant_joined', room));
  await new Promise((resolve) => setImmediate(resolve));
  expect(got.map(({ content }) => content)).toEqual(['Ana joined']);
  await presence[Symbol.asyncDispose]();
  expect(got.map(({ content }) => content)).toEqual(['Ana joined', 'Ana left']);
});

test('nothing of a session that is closed, and no question about a room that is none', async () => {
  const asked: string[] = [];
  const { got, presence } = listen(async (id) => {
    asked.push(id);
    return false;
  });
  const closed = uuidv7();
  await presence.receive(told('participant_joined', closed));
  await presence.receive(told('participant_joined', 'somebody else’s room'));
  expect([got, asked]).toEqual([[], [closed]]);
});
