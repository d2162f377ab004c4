import { createHash } from 'node:crypto';
import { AccessToken } from 'livekit-server-sdk';
import { expect, test } from 'vitest';
import { openWebhooks } from './webhooks.ts';

const keys = { apiKey: 'key', apiSecret: 'secret'.repeat(6) };
const read = openWebhooks(keys);
const ann = { sid: 'PA_1', identity: 'user-1', name: 'Ann', joinedAtMs: '1700000000123' };
const join = { event: 'participant_joined', room: { name: 'r1' }, participant: ann };

test('who came and who left, in the words of the room’s own events', async () => {
  const participant = { sid: 'PA_1', identity: 'user-1', name: 'Ann', kind: 'standard' };
  const joinedAt = 1_700_000_000_123;
  expect(await receive(join)).toMatchObject({
    room: 'r1',
    event: { type: 'participant_joined', participant, joinedAt, reason: null },
  });
  const gone = { ...ann, kind: 'AGENT', disconnectReason: 'ROOM_DELETED' };
  expect(await receive({ ...join, event: 'participant_left', participant: gone })).toMatchObject({
    event: {
      type: 'participant_left',
      participant: { ...participant, kind: 'agent' },
      reason: 'ROOM_DELETED',
    },
  });
});

test.each([
  ['of somebody hidden', { ...join, participant: { ...ann, permission: { hidden: true } } }],
  ['of a room', { event: 'room_started', room: { name: 'r1' } }],
  ['of what this version does not know', { ...join, event: 'participant_sneezed', later: 1 }],
])('nothing %s', async (_, webhook) => {
  expect(await receive(webhook)).toBeUndefined();
});

test('unauthorized without a signature, with another’s, and for another body', async () => {
  const body = JSON.stringify(join);
  const stranger = await sign(body, { ...keys, apiSecret: 'another'.repeat(6) });
  const signed = await sign(body, keys);
  const failure = { code: 'unauthorized' };
  await expect(read(body, undefined)).rejects.toMatchObject(failure);
  await expect(read(body, stranger)).rejects.toMatchObject(failure);
  await expect(read(`${body} `, signed)).rejects.toMatchObject(failure);
});

async function receive(webhook: object) {
  const body = JSON.stringify(webhook);
  return await read(body, await sign(body, keys));
}

async function sign(body: string, { apiKey, apiSecret }: typeof keys): Promise<string> {
  const token = new AccessToken(apiKey, apiSecret);
  token.sha256 = createHash('sha256').update(body).digest('base64');
  return await token.toJwt();
}
