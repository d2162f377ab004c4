import {
  changeWebhook,
  deleteWebhook,
  insertWebhook,
} from '../src/queries/followers/webhook-changes.ts';
import { rotateWebhookSecret } from '../src/queries/followers/webhook-secrets.ts';
import type { Cause } from './audit-causes.ts';
import type { TestProject } from './project.ts';
import { HASH, SECRET } from './template-causes.ts';
import { newWebhook as newTestWebhook } from './webhooks.ts';

/** What causes the audit events of webhooks. */
export const WEBHOOK_CAUSES = {
  'webhook.created': async (project: TestProject): Promise<Cause> => {
    const { webhook } = newWebhook(project);
    return {
      act: (database) => insertWebhook(database, webhook, 1),
      target: webhook.id,
      detail: { host: 'example.org:8443' },
    };
  },
  'webhook.changed': async (project: TestProject): Promise<Cause> => {
    const { changed, webhook } = newWebhook(project);
    await insertWebhook(project, webhook, 1);
    return {
      act: (database) => changeWebhook(database, changed, { status: 'disabled' }),
      target: webhook.id,
      detail: { host: 'example.org:8443', status: 'disabled' },
    };
  },
  'webhook.deleted': async (project: TestProject): Promise<Cause> => {
    const { changed, webhook } = newWebhook(project);
    await insertWebhook(project, webhook, 1);
    return {
      act: (database) => deleteWebhook(database, changed),
      target: webhook.id,
      detail: { host: 'example.org:8443' },
    };
  },
  'webhook.secret_rotated': async (project: TestProject): Promise<Cause> => {
    const { changed, webhook } = newWebhook(project);
    await insertWebhook(project, webhook, 1);
    const sealed = { keyId: 'key', nonce: Buffer.from('other'), ciphertext: HASH };
    return {
      act: (database) => rotateWebhookSecret(database, changed, webhook.nonce, sealed, 3),
      target: webhook.id,
      detail: { host: 'example.org:8443', keepOldHours: 3 },
    };
  },
};

function newWebhook({ projectId, userId }: TestProject) {
  const webhook = newTestWebhook({
    projectId,
    createdBy: userId,
    url: `https://example.org:8443/${SECRET}?key=${SECRET}`,
    ciphertext: HASH,
  });
  return { webhook, changed: { id: webhook.id, projectId, by: userId } };
}
