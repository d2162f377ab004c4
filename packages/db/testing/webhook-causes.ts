import { v7 as uuidv7 } from 'uuid';
import { noteRefused } from '../src/queries/followers/webhook-attempts.ts';
import {
  changeWebhook,
  deleteWebhook,
  insertWebhook,
} from '../src/queries/followers/webhook-changes.ts';
import { replayWebhook } from '../src/queries/followers/webhook-replay.ts';
import { rotateWebhookSecret } from '../src/queries/followers/webhook-secrets.ts';
import type { Cause } from './audit-causes.ts';
import type { TestProject } from './project.ts';
import { HASH, SECRET } from './template-causes.ts';
import { newWebhook as newTestWebhook } from './webhooks.ts';

/** For each action on webhooks, a function that prepares what causes its event. */
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
  'webhook.dead': async (project: TestProject): Promise<Cause> => {
    const { webhook } = newWebhook(project);
    const { id } = webhook;
    await insertWebhook(project, webhook, 1);
    const claim = { followerId: id, sessionId: uuidv7(), claim: '0' };
    await project.sql`
      insert into follower_positions (follower_id, session_id, position, wanted, failing_since)
      values (${id}, ${claim.sessionId}, 'epoch', now(), now() - interval '1 h')`;
    const refused = { id: uuidv7(), seenAt: new Date().toISOString(), type: 'message.stored' };
    const answer = { statusCode: 500, durationMs: 1, failure: 'HTTP 500', response: SECRET };
    const over = { waitMs: 1, horizonMs: 60_000 };
    return {
      act: (database) => noteRefused(database, claim, { ...refused, ...answer }, over),
      actor: null,
      target: id,
      detail: { host: 'example.org:8443', sessionId: claim.sessionId },
    };
  },
  'webhook.replayed': async (project: TestProject): Promise<Cause> => {
    const { changed, webhook } = newWebhook(project);
    await insertWebhook(project, webhook, 1);
    const range = { sessionId: null, since: '2026-01-01T00:00:00.000Z' };
    return {
      act: (database) => replayWebhook(database, changed, range),
      target: webhook.id,
      detail: { host: 'example.org:8443', since: range.since, sessions: 0 },
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
