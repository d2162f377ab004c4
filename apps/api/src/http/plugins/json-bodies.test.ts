import { expect } from 'vitest';
import { apiTest as test } from '../../../testing/api-test.ts';

test('an empty body counts as no body, whatever its content type; 400 where a body is required', async ({
  api,
  ana,
}) => {
  const headers = { 'content-type': 'application/json' };
  const id = await api.createSession(ana);
  const closed = await api.inject(ana, { method: 'POST', url: `/sessions/${id}/close`, headers });
  expect([closed.statusCode, closed.json().status]).toEqual([200, 'CLOSED']);
  const refused = await api.inject(ana, { method: 'POST', url: '/projects', headers });
  expect([refused.statusCode, refused.json().code]).toEqual([400, 'invalid_request']);
});

test('415 for a body that is not JSON', async ({ api, ana }) => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
    const headers = { 'content-type': type };
    const payload = '{"name":"first"}';
    const refused = await api.inject(ana, { method: 'POST', url: '/projects', headers, payload });
    expect([refused.statusCode, refused.json().code]).toEqual([415, 'unsupported_media_type']);
  }
});

test('400 for a body that is not UTF-8, whatever its charset says: no letter is replaced', async ({
  api,
  ana,
}) => {
  const text = '{"name":"Grüße"}';
  const create = async (payload: Buffer, type: string) => {
    const request = { method: 'POST', url: '/projects', payload } as const;
    const answer = await api.inject(ana, { ...request, headers: { 'content-type': type } });
    return [answer.statusCode, answer.json().code ?? answer.json().name];
  };
  for (const type of ['application/json', 'application/json; charset=iso-8859-1']) {
    expect(await create(Buffer.from(text, 'latin1'), type)).toEqual([400, 'invalid_request']);
    expect(await create(Buffer.from(text), type)).toEqual([201, 'Grüße']);
  }
});
