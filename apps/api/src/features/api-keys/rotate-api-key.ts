import { ApiKeyRotation, IssuedApiKey } from '@session/contract';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import type { Deps } from '../../deps.ts';
import { newApiKey } from '../../http/callers/api-key-text.ts';
import { limitedByUser } from '../../http/plugins/rate-limit.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { whileAuthorized } from '../projects/while-authorized.ts';
import { apiKeyOf, KEYS_PER_MINUTE, keyParams } from './api-key-schema.ts';

export function rotateApiKey(app: ZodApp, { authorize, database, inProjectTurn, now }: Deps): void {
  const content = { 'application/json': { schema: IssuedApiKey } };
  const response = { 201: { description: 'The key, with its new secret', content } };
  const schema = {
    tags: ['api-keys'],
    operationId: 'rotateApiKey',
    summary: 'Give an API key a new secret',
    description:
      'For those who may create such a key. The key keeps its id, its role and its end. The older secrets stay valid for `keepOldHours`, so that servers can change over one by one. With 0 they end at once, with all tokens that end users got by them, and the external agents of the key stop: start them again with the new secret. Delete a key that leaked, because a rotation, even with 0, sends nobody else out of a room.',
    problems: ['forbidden', 'not_found', 'conflict'] as const,
    params: keyParams,
    body: ApiKeyRotation.nullish().meta({ examples: [{ keepOldHours: 24 }] }),
    response,
  };
  const route = { schema, config: { people: true, ...limitedByUser(KEYS_PER_MINUTE) } };
  app.post('/api-keys/:id/rotate', route, async (request, reply) => {
    const { userId, params, body } = request;
    const { keepOldHours } = ApiKeyRotation.parse(body ?? {});
    const found = await db.findApiKey(database, { id: params.id, userId });
    const action = found?.key.role === 'ADMIN' ? 'issueAdminKey' : 'manageApiKeys';
    const { key } = await authorize(userId, action, found);
    const { expiresAt } = key;
    if (expiresAt !== null && Date.parse(expiresAt) <= now()) {
      const detail = 'The key has expired: create a new one.';
      throw new AppError('conflict', 'the key has expired', { detail });
    }
    const { id: secretId, secretHash, text } = newApiKey();
    const secret = { secretId, secretHash, createdBy: userId, expiresAt };
    const { projectId } = key;
    const isRotated = await whileAuthorized(
      inProjectTurn,
      { projectId, userId, actions: [action] },
      (transaction) => db.rotateApiKey(transaction, key, secret, keepOldHours),
    );
    if (!isRotated) throw new AppError('not_found', 'the key was deleted meanwhile');
    // A caller who has lost the right meanwhile gets no secret.
    const stored = await authorize(
      userId,
      action,
      await db.findApiKey(database, { id: key.id, userId }),
    );
    return reply
      .code(201)
      .header('cache-control', 'no-store')
      .send({ ...apiKeyOf(stored.key), secret: text });
  });
}
