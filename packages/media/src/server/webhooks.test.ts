import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { startMediaServer } from '@session/testing';
import { serve } from '@session/testing/serve';
import { AccessToken } from 'livekit-server-sdk';
import { expect, test } from 'vitest';
import { joinAsUser, makeRoomName } from '../../testing/rooms.ts';
import { joinRoom } from '../room/join-room.ts';
import { openRoomService } from './room-service.ts';
import { observerToken } from './tokens.ts';
import { type MediaWebhook, openWebhooks } from './webhooks.ts';

const keys = { apiKey: 'key', apiSecret: 'secret'.repeat(6) };
const former = { apiKey: 'former', apiSecret: 'another secret'.repeat(3) };
const read = openWebhooks([keys, former]);
const ann = { sid: 'PA_1', identity: 'user-1', name: 'Ann', joinedAtMs: '1700000000123' };
const join = { event: 'participant_joined', room: { name: 'r1', sid: 'RM_1' }, participant: ann };

test('a join and a leave are reported like the room’s own events', async () => {
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

test.each<[object, number | null]>([
  [{ creationTime: '1700000000', creationTimeMs: '1700000000123' }, 1_700_000_000_123],
  [{ creationTime: '1700000000' }, 1_700_000_000_000],
  [{}, null],
])(
  'a webhook names the room that it is about: created in %j is at %s',
  async (times, createdAt) => {
    const room = { ...join.room, ...times };
    expect(await receive({ ...join, room })).toMatchObject({
      instance: { sid: 'RM_1', createdAt },
    });
  },
);

test('the end of a room is ignored: another room may have its name by then', async () => {
  expect(await receive({ ...join, event: 'room_finished' })).toBeUndefined();
});

test('a webhook that either key has signed is read, while an operator changes the key', async () => {
  const body = JSON.stringify(join);
  for (const key of [keys, former])
    expect(await read(body, await sign(body, key))).toMatchObject({ room: 'r1' });
  const mixed = await sign(body, { ...keys, apiSecret: former.apiSecret });
  await expect(read(body, mixed)).rejects.toMatchObject({ code: 'unauthorized' });
});

test('a webhook that cannot be trusted is unauthorized, whatever it reports', async () => {
  const body = JSON.stringify(join);
  const expired = new AccessToken(keys.apiKey, keys.apiSecret, { ttl: -90 });
  expired.sha256 = sha256(body);
  const unhashed = new AccessToken(keys.apiKey, keys.apiSecret);
  const stranger = await sign(body, { ...keys, apiSecret: 'another'.repeat(6) });
  const strangerKey = await sign(body, { ...keys, apiKey: 'stranger' });
  const signed = await sign(body, keys);
  const [head = '', claims = ''] = signed.split('.');
  for (const authorization of [
    undefined,
    '',
    'Bearer',
    `Bearer ${signed}`,
    await expired.toJwt(),
    await unhashed.toJwt(),
    stranger,
    strangerKey,
    `${head}.${claims}.`,
    `${Buffer.from('{"alg":"none"}').toString('base64url')}.${claims}.`,
    'not.a.token',
  ]) {
    await expect(read(body, authorization)).rejects.toMatchObject({ code: 'unauthorized' });
  }
});

test('a refusal names its reason for the log, and repeats no token', async () => {
  const signed = await sign('{}', keys);
  const failure: unknown = await read('{ }', signed).catch((error: unknown) => error);
  expect(String(failure)).toMatch(/^AppError: not a webhook of the media server: .+/);
  expect(inspect(failure, { showHidden: true })).not.toContain(signed.slice(5));
});

test.each(['', '[]', '7', 'null', '{', '"participant_joined"', '{"event":7}'])(
  'unauthorized for a signed body that is no webhook: %s',
  async (body) => {
    const signed = await sign(body, keys);
    await expect(read(body, signed)).rejects.toMatchObject({ code: 'unauthorized' });
  },
);

test.each<[string, object]>([
  ['of a hidden participant', { ...join, participant: { ...ann, permission: { hidden: true } } }],
  ['of a room', { ...join, event: 'room_started' }],
  [
    'of an event that this version does not know',
    { ...join, event: 'participant_sneezed', later: 1 },
  ],
  ['without a room', { event: 'participant_joined', participant: ann }],
  ['without a participant', { event: 'participant_left', room: { name: 'r1' } }],
  ['of a track', { ...join, event: 'track_published' }],
  ['of an egress', { event: 'egress_started', egressInfo: {} }],
  [
    'of a connection that broke before it was complete',
    { ...join, event: 'participant_connection_aborted' },
  ],
])('a webhook %s reports no presence', async (_, webhook) => {
  expect((await receive(webhook))?.event).toBeUndefined();
});

test.each<[string, object, object]>([
  ['no name', { name: '' }, { name: '' }],
  ['the kind SIP', { kind: 'SIP' }, { kind: 'sip' }],
  ['the kind AGENT', { kind: 'AGENT' }, { kind: 'agent' }],
  ['a field of a later version', { mood: 'good' }, { name: 'Ann' }],
])('a participant with %s is read', async (_, fields, expected) => {
  const presence = await receive({ ...join, participant: { ...ann, ...fields } });
  expect(presence?.event?.participant).toMatchObject(expected);
});

test.each<[object, number | null]>([
  [{}, 1_700_000_000_123],
  [{ joinedAtMs: '0' }, null],
  [{ joinedAtMs: undefined }, null],
])('the time of a join in %j is %s', async (fields, joinedAt) => {
  const presence = await receive({ ...join, participant: { ...ann, ...fields } });
  expect(presence?.event?.joinedAt).toBe(joinedAt);
});

test.each<[string | number | undefined, string | null]>([
  ['CLIENT_INITIATED', 'CLIENT_INITIATED'],
  ['PARTICIPANT_REMOVED', 'PARTICIPANT_REMOVED'],
  [undefined, 'UNKNOWN_REASON'],
  [9999, null],
])('a leave for the reason %s is reported with %s, a join with none', async (reason, expected) => {
  const participant = { ...ann, disconnectReason: reason };
  const left = await receive({ ...join, event: 'participant_left', participant });
  expect(left?.event?.reason).toBe(expected);
  expect((await receive({ ...join, participant }))?.event?.reason).toBeNull();
});

test('the real server’s webhooks are read: a join and a leave, under the SID of the room, and none of an observer', async () => {
  const received: (MediaWebhook | undefined)[] = [];
  const failures: unknown[] = [];
  let readReal: ReturnType<typeof openWebhooks> | undefined;
  await using receiver = await serve((request, response) => {
    const { authorization } = request.headers;
    void text(request)
      .then(async (body) => received.push(await readReal?.(body, authorization)))
      .catch((error: unknown) => failures.push(error))
      .finally(() => response.end());
  });
  await using server = await startMediaServer({ webhookUrls: [receiver.url] });
  readReal = openWebhooks([server]);
  const room = makeRoomName();
  const { token } = await observerToken(server, { room, userId: 'ben' });
  // The server sends no webhook about a stay that ends before its own end of the connection is ready.
  const observer = await joinRoom({ url: server.url, token });
  await expect.poll(() => received.length).toBeGreaterThan(1);
  await observer.leave();
  const presences = () => received.filter((webhook) => webhook?.event !== undefined);
  const joined = await joinAsUser(server, room, 'Ann');
  await expect.poll(presences).toHaveLength(1);
  const [listed] = await openRoomService(server).listParticipants(room);
  const found = await openRoomService(server).findRooms([room]);
  await joined.leave();
  await expect.poll(presences).toHaveLength(2);
  // The webhooks about the observer arrived too, without a participant's presence.
  expect(received.length).toBeGreaterThan(2);
  expect(failures).toEqual([]);
  for (const webhook of presences())
    expect(found.get(room)).toMatchObject({ ...webhook?.instance });
  const participant = { identity: joined.identity, name: 'Ann', sid: listed?.sid };
  expect(presences()).toMatchObject([
    { room, event: { type: 'participant_joined', participant, joinedAt: listed?.joinedAt } },
    { room, event: { type: 'participant_left', participant, reason: 'CLIENT_INITIATED' } },
  ]);
});

async function receive(webhook: object) {
  const body = JSON.stringify(webhook);
  return await read(body, await sign(body, keys));
}

async function sign(body: string, { apiKey, apiSecret }: typeof keys): Promise<string> {
  const token = new AccessToken(apiKey, apiSecret);
  token.sha256 = sha256(body);
  return await token.toJwt();
}

function sha256(body: string): string {
  return createHash('sha256').update(body).digest('base64');
}
