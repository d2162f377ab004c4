import { expect } from 'vitest';
import { test } from '../../../testing/project-test.ts';
import { addWebhook } from '../../../testing/webhooks.ts';
import { changeWebhook } from './webhook-changes.ts';
import {
  findWebhookTarget,
  listWebhooksOfKeys,
  listWebhookTargets,
  resealWebhook,
  rotateWebhookSecret,
} from './webhook-secrets.ts';

const sealed = (keyId: string, text: string) => ({
  keyId,
  nonce: Buffer.from(`nonce of ${text}`),
  ciphertext: Buffer.from(text),
});

test('a secret is replaced once, by the first of two who read the former one', async ({
  project,
}) => {
  const { projectId, userId: by } = project;
  const id = await addWebhook(project);
  const { nonce } = (await findWebhookTarget(project, id)) ?? { nonce: Buffer.from('') };
  const rotate = (text: string) =>
    rotateWebhookSecret(project, { id, projectId, by }, nonce, sealed('key', text), 24);
  expect(await Promise.all([rotate('one'), rotate('two')])).toEqual(
    expect.arrayContaining([true, false]),
  );
  const target = await findWebhookTarget(project, id);
  const hours = (Date.parse(target?.previousUntil ?? '') - Date.now()) / 3_600_000;
  expect(Math.round(hours)).toBe(24);
});

test('secrets of a former key are sealed again, unless they were replaced meanwhile', async ({
  project,
}) => {
  const { projectId, userId: by } = project;
  const id = await addWebhook(project, sealed('former', 'old'));
  await addWebhook(project, sealed('current', 'other'));
  const [former, ...others] = await listWebhooksOfKeys(project, ['former']);
  expect([former?.id, others]).toEqual([id, []]);
  const nonce = former?.nonce ?? Buffer.from('');
  const rotated = sealed('current', 'new');
  await rotateWebhookSecret(project, { id, projectId, by }, nonce, rotated, 24);
  await resealWebhook(project, id, nonce, sealed('current', 'old again'));
  expect((await findWebhookTarget(project, id))?.ciphertext).toEqual(rotated.ciphertext);
  await resealWebhook(project, id, rotated.nonce, sealed('newest', 'new'));
  expect(await listWebhooksOfKeys(project, ['former', 'current'])).toMatchObject([
    { keyId: 'current', ciphertext: Buffer.from('other') },
  ]);
});

test('nothing is sent to a disabled webhook, which can be tested all the same', async ({
  project,
}) => {
  const { projectId, userId: by } = project;
  const id = await addWebhook(project);
  expect(await listWebhookTargets(project, [id])).toMatchObject([{ id, isFailing: false }]);
  await changeWebhook(project, { id, projectId, by }, { status: 'disabled' });
  expect(await listWebhookTargets(project, [id])).toEqual([]);
  expect(await findWebhookTarget(project, id)).toMatchObject({ id, projectId });
});
