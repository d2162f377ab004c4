import { Erasure, NewErasure } from '@session/contract';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import type { Deps } from '../../deps.ts';
import { IDEMPOTENCY_CODES, idempotencyHeaders } from '../../http/idempotency.ts';
import { limitedByUser } from '../../http/plugins/rate-limit.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { endUserIdOf } from '../sessions/end-user-id.ts';
import { erasureOf, projectOfErasures } from './erasure-schema.ts';

const PER_MINUTE = 60;

const UNKNOWN_SCOPE =
  'Nothing was erased: the project has no such session, or the session has no message with one of these ids. Correct the ids.';
const UNKNOWN_USER =
  'Nothing was erased: the project has no end user with this account. Send your own id of the end user as `participantId`.';

export function createErasure(app: ZodApp, deps: Deps): void {
  const { authorize, config, createOnce, database } = deps;
  const content = { 'application/json': { schema: Erasure } };
  const schema = {
    tags: ['erasures'],
    operationId: 'createErasure',
    summary: 'Erase messages, a participant, an end user or a session',
    description:
      'For an ADMIN. Erases content, names and metadata of messages, also from the search, the deliveries to webhooks and the logs of agents. Each message stays as an empty one with `metadata.erased`, which every reader gets as a new version. A copy that arrives later is not stored. A session is deleted as a whole. The tokens of an end user end, and the account is forgotten: the next token with the same id of yours creates a new end user. The answer is a receipt. This cannot be undone. Limited to 60 requests a minute from one user.',
    problems: ['forbidden', 'not_found', ...IDEMPOTENCY_CODES] as const,
    headers: idempotencyHeaders,
    params: projectOfErasures,
    body: NewErasure,
    response: { 202: { description: 'The erasure has begun', content } },
    located: [202],
  };
  const route = { schema, config: limitedByUser(PER_MINUTE) };
  app.post('/projects/:projectId/erasures', route, async (request, reply) => {
    const { userId, params, body } = request;
    const { projectId } = params;
    const key = { projectId, userId };
    await authorize(userId, 'erase', await db.findMembership(database, key));
    const id = await createOnce(request, (transaction, newId) =>
      store(transaction, body, { id: newId, projectId, requestedBy: userId }),
    );
    const found = await db.findErasure(database, { id, userId });
    const { erasure } = await authorize(userId, 'erase', found);
    const receipt = erasureOf(erasure, config.backupDays);
    return reply.code(202).header('location', `/erasures/${id}`).send(receipt);
  });
}

interface NewId {
  readonly id: string;
  readonly projectId: string;
  readonly requestedBy: string;
}

async function store(
  database: db.DatabaseAccess,
  { sessionId, messageIds, identity, userId, participantId }: NewErasure,
  request: NewId,
): Promise<void> {
  const { projectId, requestedBy } = request;
  const isNamed = participantId !== undefined;
  const endUserId = isNamed ? endUserIdOf(projectId, participantId) : (userId ?? null);
  if (userId !== undefined) {
    const page = { projectId, userId: requestedBy, id: userId, limit: 1 };
    const found = await db.listEndUsers(database, page);
    if (found?.endUsers.length !== 1)
      throw new AppError('not_found', 'no such end user', { detail: UNKNOWN_USER });
  }
  await db.inTransaction(database, async (transaction) => {
    const scope = {
      sessionId: sessionId ?? null,
      messageIds: messageIds ? [...new Set(messageIds)] : null,
      identity: identity ?? null,
      userId: endUserId,
    };
    if (!(await db.insertErasure(transaction, { ...request, ...scope })))
      throw new AppError('not_found', 'no such session or message', { detail: UNKNOWN_SCOPE });
    if (endUserId !== null) await db.forgetEndUser(transaction, { id: endUserId, projectId });
  });
}
