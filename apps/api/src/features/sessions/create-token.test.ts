import { joinRoom } from '@session/media';
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
      { serverUrl: env.MEDIA_PUBLIC_URL, roomName: id, expiresAt: expect.any(String) },
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

test('201 for all fields that LiveKit’s TokenSource sends, none of them in the token; 400 for any other field', async ({
  api,
  ana,
}) => {
  const id = await api.createSession(ana);
  const payload = {
    room_name: 'another',
    participant_name: 'root',
    participant_identity: 'recorder-1',
    participant_metadata: 'x',
    participant_attributes: { a: 'b' },
    room_config: { agents: [] },
  };
  const answer = await api.inject(ana, { ...post(id), payload });
  expect([answer.statusCode, answer.json().roomName]).toEqual([201, id]);
  const claims = Buffer.from(answer.json().participantToken.split('.')[1], 'base64url');
  expect(claims.toString('utf8')).not.toMatch(/another|root|recorder|agents|metadata"/);
  expect((await api.inject(ana, post(id))).statusCode).toBe(201);
  const refused = await api.inject(ana, { ...post(id), payload: { ttl: '1y' } });
  expect([refused.statusCode, refused.json().code]).toEqual([400, 'invalid_request']);
});

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
  await api.deps.sessions.closeSession(id, 'user');
  const refused = await api.inject(ana, { ...post(id), payload: {} });
  expect([refused.statusCode, refused.json().code]).toEqual([409, 'session_closed']);
});
