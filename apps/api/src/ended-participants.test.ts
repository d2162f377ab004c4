import type { InjectOptions } from 'fastify';
import { expect } from 'vitest';
import type { TestApi, TestUser } from '../testing/api.ts';
import { apiTest as test } from '../testing/api-test.ts';

/** What a route that is open to participants needs, so that it refuses nothing but the caller. */
const NEEDED: Readonly<Record<string, Pick<InjectOptions, 'payload' | 'query'>>> = {
  'GET /sessions/:sessionId/messages/latest': { query: { since: '2026-11-21T08:00:00Z' } },
  'POST /sessions/:sessionId/messages': { payload: { content: 'hello' } },
};

test('401 on every route for a participant token that has expired or whose key is deleted, 404 when the ADMIN who asked for it was removed', async ({
  api,
  ana,
}) => {
  const admin = await api.createUser('ben');
  const projectId = await api.createProject(ana, [[admin, 'ADMIN']]);
  const sessionId = await api.createSession(ana, projectId);
  const key = await api.createKey(projectId);
  const [ofAdmin, ofKey] = [
    await api.createParticipant(admin, sessionId),
    await api.createParticipant(key, sessionId),
  ];
  const ended = { expired: expired(api, ofAdmin), ofKey, ofAdmin };
  const url = `/sessions/${sessionId}`;
  for (const one of [ofAdmin, ofKey]) {
    expect((await api.inject(one, { url })).statusCode).toBe(200);
  }
  for (const path of [`/projects/${projectId}/members/${admin.id}`, `/api-keys/${key.id}`]) {
    await api.inject(ana, { method: 'DELETE', url: path });
  }
  // The membership of the key is deleted before the answer. A moment later, the process also refuses the tokens of the key.
  await expect.poll(async () => (await api.inject(ofKey, { url })).statusCode).toBe(401);
  const guarded = api.routes.filter(({ config, schema }) => !(config?.public || schema?.hide));
  const answers: string[] = [];
  for (const route of guarded) {
    const name = `${String(route.method)} ${route.url}`;
    const needed = NEEDED[name.replace('HEAD', 'GET')];
    for (const [which, one] of Object.entries(ended)) {
      const request: InjectOptions = { url: route.url.replace(/:\w+/, sessionId), ...needed };
      const answer = await api.inject(one, Object.assign(request, { method: route.method }));
      answers.push(`${name} ${which} ${answer.statusCode}`);
    }
  }
  const expected = guarded.flatMap(({ method, url: path }) =>
    ['expired 401', 'ofKey 401', 'ofAdmin 404'].map((one) => `${String(method)} ${path} ${one}`),
  );
  expect(guarded.length).toBeGreaterThan(40);
  expect(answers).toEqual(expected);
});

/** Returns the caller with the token of an hour and a half ago, which was valid for an hour. */
function expired({ app }: TestApi, participant: TestUser): TestUser {
  const claims = app.jwt.decode<{ aud: string; sub: string }>(participant.token);
  if (!claims) throw new Error('the token has claims');
  const { aud, ...rest } = claims;
  const former = { ...rest, iat: Math.floor(Date.now() / 1000) - 5400 };
  return { ...participant, token: app.jwt.sign(former, { aud, expiresIn: 3600 }) };
}
