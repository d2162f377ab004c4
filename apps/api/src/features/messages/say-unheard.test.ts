import { expect } from 'vitest';
import { apiTest as test } from '../../../testing/api-test.ts';

test('503 media_unavailable names the id of a message that was sent without one: with it nothing is stored twice', async ({
  api,
  ana,
}) => {
  const sessionId = await api.createSession(ana);
  const url = `/sessions/${sessionId}/messages`;
  const history = async () => (await api.inject(ana, { url })).json().items;
  const refusal = async (id?: string, headers = {}) => {
    const payload = { content: 'hello', id };
    const answer = await api.inject(ana, { method: 'POST', url, payload, headers });
    const { code, detail } = answer.json();
    expect([answer.statusCode, code]).toEqual([503, 'media_unavailable']);
    return detail;
  };
  const detail = await refusal();
  const [{ id }] = await history();
  expect(detail).toBe(
    `The message is stored, but did not reach the room: send it again with the id ${id}.`,
  );
  const again = 'Send the same request again in a moment.';
  expect(await refusal(id)).toBe(again);
  expect(await history()).toHaveLength(1);
  expect(await refusal(undefined, { 'idempotency-key': 'a key' })).toBe(again);
});
