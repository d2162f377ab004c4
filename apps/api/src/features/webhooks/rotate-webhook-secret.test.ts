import { expect } from 'vitest';
import { isSignedBy } from '../../../testing/webhook-receiver.ts';
import { createWebhook, webhookTest as test } from '../../../testing/webhook-test.ts';

test('201 with another secret; meanwhile all former ones sign too, and with 0 hours the new one alone', async ({
  api,
  ana,
  projectId,
  receiver,
}) => {
  const { id, secret } = await createWebhook(api, ana, projectId, { url: receiver.url });
  const rotate = async (payload?: object) => {
    const answer = await api.inject(ana, {
      method: 'POST',
      url: `/webhooks/${id}/rotate-secret`,
      ...(payload && { payload }),
    });
    expect([answer.statusCode, answer.headers['cache-control']]).toEqual([201, 'no-store']);
    return answer.json().secret;
  };
  const second = await rotate();
  expect(await signers(second, secret)).toEqual([true, true]);
  const third = await rotate({ keepOldHours: 24 });
  expect(await signers(third, second, secret)).toEqual([true, true, true]);
  const fourth = await rotate({ keepOldHours: 0 });
  expect(await signers(fourth, third, second, secret)).toEqual([true, false, false, false]);

  /** Sends a test. Returns whether each of these secrets has signed it. */
  async function signers(...secrets: readonly string[]) {
    const sent = await api.inject(ana, { method: 'POST', url: `/webhooks/${id}/test` });
    expect(sent.json().statusCode).toBe(204);
    const last = receiver.received.at(-1);
    if (!last) throw new Error('the test has come');
    return secrets.map((one) => isSignedBy(one, last));
  }
});
