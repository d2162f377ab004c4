import { Id, Session } from '@session/contract';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { IDEMPOTENCY_CODES, idempotencyHeaders } from '../../http/idempotency.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { describeSession, sessionBody } from './session-schema.ts';

const params = z.object({ projectId: Id });

/** `POST /projects/:projectId/sessions`: 201 with the session, ACTIVE, and its `Location`. Recorders are told at once. */
export function createSession(app: ZodApp, deps: Deps): void {
  const { authorize, createOnce, memberships, sessions, recordingIntervals } = deps;
  const schema = {
    tags: ['sessions'],
    operationId: 'createSession',
    summary: 'Open a session',
    problems: ['not_found', ...IDEMPOTENCY_CODES] as const,
    headers: idempotencyHeaders,
    params,
    body: sessionBody,
    response: { 201: Session },
  };
  app.post('/projects/:projectId/sessions', { schema }, async (request, reply) => {
    const { userId, params: project, body: given } = request;
    const key = { userId, projectId: project.projectId };
    await authorize(userId, 'createSession', await memberships.findMembership(key));
    const made = { ...project, name: given.name, createdBy: userId };
    const id = await createOnce(request, (makers, newId) =>
      makers.sessions.insertSession({ id: newId, ...made }),
    );
    const row = await authorize(userId, 'read', await sessions.findSession({ id, userId }));
    const session = await describeSession(row, recordingIntervals);
    return reply.code(201).header('location', `/sessions/${id}`).send(session);
  });
}
