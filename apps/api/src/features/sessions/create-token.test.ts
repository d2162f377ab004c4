import * as db from '@session/db';
import { type JoinedRoom, joinRoom } from '@session/media';
import { expect } from 'vitest';
import { apiTestWithMedia, apiTest as test } from '../../../testing/api-test.ts';

const post = (id: string) => ({ method: 'POST', url: `/sessions/${id}/token` }) as const;

const env = { MEDIA_PUBLIC_URL: 'wss://media.example.org' };
const configuredTest = test.extend('options', () => ({ env }));

configuredTest(
  '201 with a token for this room only, in the user’s name, for ten minutes',
  async ({ api, ana }) => {
    const ben = await api.createUser('ben');
    const projectId = await api.createProject(ana, [[ben, 'MEMBER']]);
    const id = await api.createSession(ana, projectId);
    const answer = await api.inject(ben, { ...post(id), payload: {} });
    const { participantToken, participantIdentity: identity, ...rest } = answer.json();
    expect([answer.statusCode, rest]).toEqual([
      201,
      {
        serverUrl: env.MEDIA_PUBLIC_URL,
        roomName: id,
        expiresAt: expect.any(String),
        accessToken: null,
        accessExpiresAt: null,
      },
    ]);
    expect(identity).toMatch(new RegExp(`^user-${ben.id}-[0-9a-f]{6}$`));
    const claims = JSON.parse(
      Buffer.from(participantToken.split('.')[1], 'base64url').toString('utf8'),
    );
    expect(claims).toMatchObject({ sub: identity, name: 'ben' });
    expect(claims.exp - claims.nbf).toBe(600);
    expect(rest.expiresAt).toBe(new Date(claims.exp * 1000).toISOString());
    expect(claims.video).toEqual({
      roomJoin: true,
      room: id,
      canSubscribe: true,
      canPublish: true,
      canPublishSources: ['microphone'],
      canPublishData: true,
      canUpdateOwnMetadata: true,
    });
  },
);

test('201 with LiveKit’s names of the fields, in which a key names an end user; 400 where a field would be ignored', async ({
  api,
  ana,
}) => {
  const projectId = await api.createProject(ana);
  const id = await api.createSession(ana, projectId);
  const key = await api.createKey(projectId);
  const named = { participant_identity: 'customer-7', participant_name: 'Ada' };
  const payload = { room_name: id, ...named, participant_attributes: { plan: 'gold' } };
  const answer = await api.inject(key, { ...post(id), payload });
  expect([answer.statusCode, answer.json().roomName]).toEqual([201, id]);
  const claims = claimsOf(answer.json().participantToken);
  expect(claims).toMatchObject({ name: 'Ada', attributes: { plan: 'gold' } });
  const own = { participant: { id: 'customer-7', name: 'Ada' } };
  const same = await api.inject(key, { ...post(id), payload: own });
  expect(accountOf(same.json())).toBe(accountOf(answer.json()));
  for (const [field, more] of [
    ['room_name', { room_name: 'another' }],
    ['participant_metadata', { participant_metadata: 'x' }],
    ['room_config', { room_config: { agents: [] } }],
    ['participant_name', { participant_name: 'Ada' }],
    ['participant_attributes', { participant_attributes: { a: 'b' } }],
    ['participant_identity', { ...own, ...named }],
    ['lk.', { ...named, participant_attributes: { 'lk.agent': 'x' } }],
  ] as const) {
    const ignored = await api.inject(key, { ...post(id), payload: more });
    expect([ignored.statusCode, ignored.json().detail]).toEqual([
      400,
      expect.stringContaining(field),
    ]);
  }
  expect((await api.inject(ana, post(id))).statusCode).toBe(201);
  const refused = await api.inject(ana, { ...post(id), payload: { ttl: '1y' } });
  expect([refused.statusCode, refused.json().code]).toEqual([400, 'invalid_request']);
});

test('201 with a token for an observer: hidden, and unable to send; 400 for another mode', async ({
  api,
  ana,
}) => {
  const id = await api.createSession(ana);
  const answer = await api.inject(ana, { ...post(id), payload: { mode: 'observe' } });
  const { participantToken, participantIdentity: identity } = answer.json();
  expect([answer.statusCode, identity]).toEqual([
    201,
    expect.stringMatching(new RegExp(`^observer-${ana.id}-[0-9a-f]{6}$`)),
  ]);
  expect(claimsOf(participantToken)).toMatchObject({
    sub: identity,
    video: {
      roomJoin: true,
      room: id,
      hidden: true,
      canSubscribe: true,
      canPublish: false,
      canPublishData: false,
      canUpdateOwnMetadata: false,
    },
  });
  expect(claimsOf(participantToken)).not.toHaveProperty('name');
  const joining = await api.inject(ana, { ...post(id), payload: { mode: 'join' } });
  expect(joining.json().participantIdentity).toMatch(/^user-/);
  const refused = await api.inject(ana, { ...post(id), payload: { mode: 'listen' } });
  expect([refused.statusCode, refused.json().code]).toEqual([400, 'invalid_request']);
});

test('201 with a token for an operator who is a member or a key; 400 and 403 for an end user', async ({
  api,
  ana,
}) => {
  const ben = await api.createUser('ben');
  const projectId = await api.createProject(ana, [[ben, 'MEMBER']]);
  const id = await api.createSession(ana, projectId);
  const key = await api.createKey(projectId);
  const payload = { mode: 'operator' };
  for (const caller of [ben, key]) {
    const answer = await api.inject(caller, { ...post(id), payload });
    expect([answer.statusCode, answer.json()]).toEqual([
      201,
      expect.objectContaining({
        participantIdentity: expect.stringMatching(/^user-[0-9a-f-]{36}-operator-[0-9a-f]{6}$/),
        accessToken: null,
      }),
    ]);
  }
  const participant = { id: 'customer-7', name: 'Ada' };
  const named = await api.inject(key, { ...post(id), payload: { ...payload, participant } });
  expect([named.statusCode, named.json().detail]).toEqual([400, expect.stringContaining('mode')]);
  const { accessToken } = (await api.inject(key, { ...post(id), payload: { participant } })).json();
  const refused = await api.inject({ ...ana, token: accessToken }, { ...post(id), payload });
  expect([refused.statusCode, refused.json().code]).toEqual([403, 'forbidden']);
});

apiTestWithMedia(
  'an observer hears the room, is seen by nobody, and cannot send',
  async ({ api, ana }) => {
    const id = await api.createSession(ana);
    await using stack = new AsyncDisposableStack();
    stack.defer(() => api.deps.rooms.deleteRoom(id));
    const join = async (mode: string, heard: string[]): Promise<JoinedRoom> => {
      const answer = await api.inject(ana, { ...post(id), payload: { mode } });
      const { serverUrl: url, participantToken: token } = answer.json();
      const onEvent = (event: { type: string }) => void heard.push(event.type);
      return stack.use(await joinRoom({ url, token, onEvent }));
    };
    const [observed, others]: [string[], string[]] = [[], []];
    const person = await join('join', others);
    const observer = await join('observe', observed);
    await observer.say('I am here').catch(() => {});
    await person.say('Hello');
    await expect.poll(() => observed).toContain('packet');
    expect([others, person.participants]).toEqual([[], []]);
    const listed = await api.deps.rooms.listParticipants(id);
    expect(
      Object.fromEntries(listed.map(({ identity, isHidden }) => [identity, isHidden])),
    ).toEqual({
      [observer.identity]: true,
      [person.identity]: false,
    });
  },
);

apiTestWithMedia('the token opens the room', async ({ api, ana }) => {
  const id = await api.createSession(ana);
  const { serverUrl, participantToken, participantIdentity } = (
    await api.inject(ana, { ...post(id), payload: {} })
  ).json();
  await using room = await joinRoom({ url: serverUrl, token: participantToken });
  expect(room.identity).toBe(participantIdentity);
  expect(await api.deps.rooms.listRooms()).toContain(id);
  await room.leave();
  await api.deps.rooms.deleteRoom(id);
});

test('409 session_closed, also for its OWNER', async ({ api, ana }) => {
  const id = await api.createSession(ana);
  await db.closeSession(api.deps.database, id, 'user');
  for (const payload of [{}, { mode: 'observe' }]) {
    const refused = await api.inject(ana, { ...post(id), payload });
    expect([refused.statusCode, refused.json().code]).toEqual([409, 'session_closed']);
  }
});

function claimsOf(token: string): unknown {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
}

function accountOf(answer: { participantIdentity: string }): string {
  return answer.participantIdentity.slice(0, -7);
}
