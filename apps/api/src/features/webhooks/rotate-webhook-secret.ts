import { IssuedWebhook, SecretRotation } from '@session/contract';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { newWebhookSecret, replacedSecrets } from '../../webhooks/webhook-secrets.ts';
import { whileAuthorized } from '../projects/while-authorized.ts';
import { webhookOf, webhookParams } from './webhook-schema.ts';

export function rotateWebhookSecret(
  app: ZodApp,
  { authorize, database, inProjectTurn, vault }: Deps,
): void {
  const content = { 'application/json': { schema: IssuedWebhook } };
  const schema = {
    tags: ['webhooks'],
    operationId: 'rotateWebhookSecret',
    summary: 'Replace the secret of a webhook',
    description:
      'For an ADMIN. For `keepOldHours` requests are signed with the former secret too, so that the receiver can change over meanwhile; with 0 all former secrets end. Only this answer shows the new one.',
    problems: ['forbidden', 'not_found', 'conflict'] as const,
    params: webhookParams,
    body: SecretRotation.nullish().meta({ examples: [{ keepOldHours: 24 }] }),
    response: { 201: { description: 'The webhook, with its new secret', content } },
  };
  app.post('/webhooks/:id/rotate-secret', { schema }, async (request, reply) => {
    const { userId, params, body } = request;
    const { keepOldHours } = SecretRotation.parse(body ?? {});
    const key = { id: params.id, userId };
    await authorize(userId, 'manageWebhooks', await db.findWebhook(database, key));
    const target = await db.findWebhookTarget(database, params.id);
    const secret = newWebhookSecret();
    if (target) {
      const secrets = replacedSecrets(vault.open(target), target, secret, keepOldHours);
      const sealed = vault.seal(secrets, target);
      const { nonce, projectId } = target;
      const isRotated = await whileAuthorized(
        inProjectTurn,
        { projectId, userId, actions: ['manageWebhooks'] },
        async (transaction) => {
          const changed = { ...target, by: userId };
          return await db.rotateWebhookSecret(transaction, changed, nonce, sealed, keepOldHours);
        },
      );
      if (!isRotated) throw new AppError('conflict', 'the secret was replaced meanwhile');
    }
    const found = await db.findWebhook(database, key);
    const { webhook } = await authorize(userId, 'manageWebhooks', found);
    return reply
      .code(201)
      .header('cache-control', 'no-store')
      .send({ ...webhookOf(webhook), secret });
  });
}
