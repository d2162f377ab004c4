import { IssuedApiKey, NewApiKey, Since } from '@session/contract';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../../deps.ts';
import { newApiKey } from '../../http/callers/api-key-text.ts';
import { limitedByUser } from '../../http/plugins/rate-limit.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { projectParams } from '../projects/project-schema.ts';
import { whileAuthorized } from '../projects/while-authorized.ts';
import { apiKeyOf, KEYS_PER_MINUTE, KEYS_PER_PROJECT } from './api-key-schema.ts';

export function createApiKey(app: ZodApp, { authorize, database, inProjectTurn, now }: Deps): void {
  const content = { 'application/json': { schema: IssuedApiKey } };
  const response = { 201: { description: 'The key, with its secret', content } };
  const schema = {
    tags: ['api-keys'],
    operationId: 'createApiKey',
    summary: 'Create an API key',
    description: `For an ADMIN; a key of the role ADMIN for an OWNER. A key has the rights of a member of its role in this project alone, and no list of members shows it. It stays when the person who created it leaves. Only this answer shows its secret. A project has at most ${KEYS_PER_PROJECT} keys.`,
    problems: ['forbidden', 'not_found', 'key_capacity'] as const,
    params: projectParams,
    body: NewApiKey,
    response,
  };
  const route = { schema, config: { people: true, ...limitedByUser(KEYS_PER_MINUTE) } };
  app.post('/projects/:id/api-keys', route, async (request, reply) => {
    const { userId, params, body } = request;
    const { name, role } = body;
    const expiresAt = body.expiresAt === undefined ? null : Since.parse(body.expiresAt);
    const caller = { projectId: params.id, userId };
    const action = role === 'ADMIN' ? 'issueAdminKey' : 'manageApiKeys';
    await authorize(userId, action, await db.findMembership(database, caller));
    if (expiresAt !== null && Date.parse(expiresAt) <= now()) {
      const detail = 'expiresAt is in the past: send a later time, or none.';
      throw new AppError('invalid_request', 'the key would have expired already', { detail });
    }
    const id = uuidv7();
    const { id: secretId, secretHash, text } = newApiKey();
    const secret = { secretId, secretHash, createdBy: userId, expiresAt };
    const key = { id, projectId: params.id, name, role, membershipId: uuidv7(), ...secret };
    const isStored = await whileAuthorized(
      inProjectTurn,
      { ...caller, actions: [action] },
      (transaction) => db.insertApiKey(transaction, key, KEYS_PER_PROJECT),
    );
    if (!isStored) throw new AppError('key_capacity', `the project has ${KEYS_PER_PROJECT} keys`);
    const stored = await db.findApiKey(database, { id, userId });
    const created = await authorize(userId, action, stored);
    return reply
      .code(201)
      .header('cache-control', 'no-store')
      .send({ ...apiKeyOf(created.key), secret: text });
  });
}
