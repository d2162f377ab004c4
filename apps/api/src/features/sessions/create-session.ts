import { Id, Session } from '@session/contract';
import * as db from '@session/db';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { IDEMPOTENCY_CODES, idempotencyHeaders } from '../../http/idempotency.ts';
import { assertWithinLimits } from '../../http/limit-errors.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { describeSession, sessionBody } from './session-schema.ts';

const params = z.object({ projectId: Id });

export function createSession(app: ZodApp, deps: Deps): void {
  const { authorize, config, createOnce, database } = deps;
  const { limits } = config;
  const schema = {
    tags: ['sessions'],
    operationId: 'createSession',
    summary: 'Create a session',
    description:
      'Creates an ACTIVE session. A recorder joins its room within seconds, and `recording` of the session says when. Open its room with `POST /sessions/{id}/token`.',
    problems: ['not_found', 'session_capacity', ...IDEMPOTENCY_CODES] as const,
    headers: idempotencyHeaders,
    params,
    body: sessionBody,
    response: { 201: Session },
  };
  app.post('/projects/:projectId/sessions', { schema }, async (request, reply) => {
    const { userId, params: project, body } = request;
    const key = { userId, projectId: project.projectId };
    await authorize(userId, 'createSession', await db.findMembership(database, key));
    const session = { ...project, name: body.name, createdBy: userId };
    const id = await createOnce(request, async (transaction, newId) => {
      const row = { id: newId, ...session };
      assertWithinLimits(await db.insertSession(transaction, row, limits.sessions), limits);
    });
    const row = await authorize(userId, 'read', await db.findSession(database, { id, userId }));
    const created = await describeSession(database, row);
    return reply.code(201).header('location', `/sessions/${id}`).send(created);
  });
}
