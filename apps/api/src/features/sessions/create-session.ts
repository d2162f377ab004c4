import { Id, Session } from '@session/contract';
import { AppError } from '@session/kit';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { IDEMPOTENCY_CODES, idempotencyHeaders } from '../../http/idempotency.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { describeSession, sessionBody } from './session-schema.ts';

const params = z.object({ projectId: Id });

/** `POST /projects/:projectId/sessions`: 201 with the session, ACTIVE, and its `Location`. Recorders are notified at once. */
export function createSession(app: ZodApp, deps: Deps): void {
  const { authorize, config, createOnce, memberships, sessions, recordingIntervals } = deps;
  const { capacityPerProject } = config.sessions;
  const schema = {
    tags: ['sessions'],
    operationId: 'createSession',
    summary: 'Create a session',
    problems: ['not_found', 'session_capacity', ...IDEMPOTENCY_CODES] as const,
    headers: idempotencyHeaders,
    params,
    body: sessionBody,
    response: { 201: Session },
  };
  app.post('/projects/:projectId/sessions', { schema }, async (request, reply) => {
    const { userId, params: project, body } = request;
    const key = { userId, projectId: project.projectId };
    await authorize(userId, 'createSession', await memberships.findMembership(key));
    const session = { ...project, name: body.name, createdBy: userId };
    const id = await createOnce(request, async (queries, newId) => {
      const row = { id: newId, ...session };
      const outcome = await queries.sessions.insertSession(row, capacityPerProject);
      if (outcome === 'session_capacity') throw capacityError(capacityPerProject);
    });
    const row = await authorize(userId, 'read', await sessions.findSession({ id, userId }));
    const created = await describeSession(row, recordingIntervals);
    return reply.code(201).header('location', `/sessions/${id}`).send(created);
  });
}

function capacityError(capacity: number): AppError {
  const detail = `The project has ${capacity} ACTIVE sessions, which is its limit. Close one of them first.`;
  return new AppError('session_capacity', 'a session is not created: session_capacity', { detail });
}
