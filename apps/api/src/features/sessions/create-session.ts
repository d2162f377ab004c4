import { Id, NewSession, Session } from '@session/contract';
import * as db from '@session/db';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { IDEMPOTENCY_CODES, idempotencyHeaders } from '../../http/idempotency.ts';
import { assertWithinLimits } from '../../http/limit-errors.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { describeSession } from './session-schema.ts';

const params = z.object({ projectId: Id });

/** Ends a creation that found the session of its external id: nothing is stored, so an `Idempotency-Key` stays free. */
class SessionFound extends Error {
  readonly id: string;

  constructor(id: string) {
    super('a session of the project has the external id');
    this.id = id;
  }
}

export function createSession(app: ZodApp, deps: Deps): void {
  const { authorize, config, createOnce, database } = deps;
  const { limits } = config;
  const schema = {
    tags: ['sessions'],
    operationId: 'createSession',
    summary: 'Create a session',
    description:
      'Creates an ACTIVE session. A recorder joins its room within seconds, and `recording` of the session says when. Open its room with `POST /sessions/{id}/token`. If a session of the project already has this `externalId`, the answer is that session as it is, with 200: nothing is created or changed, whatever else the body says, and the session may be CLOSED. A request that creates nothing leaves its `Idempotency-Key` free.',
    problems: ['not_found', 'session_capacity', ...IDEMPOTENCY_CODES] as const,
    headers: idempotencyHeaders,
    params,
    body: NewSession,
    response: { 200: Session, 201: Session },
  };
  app.post('/projects/:projectId/sessions', { schema }, async (request, reply) => {
    const { userId, params: project, body } = request;
    const key = { userId, projectId: project.projectId };
    await authorize(userId, 'createSession', await db.findMembership(database, key));
    // A creation takes turns with others of its account, so what is there already is read first. A repeat has its own answer.
    const isRepeatable = request.headers['idempotency-key'] !== undefined;
    const former =
      isRepeatable || body.externalId === undefined
        ? undefined
        : await db.findSessionOfExternalId(database, project.projectId, body.externalId);
    const create = async () =>
      await createOnce(request, async (transaction, newId) => {
        const row = { id: newId, ...project, ...body, createdBy: userId };
        const outcome = await db.insertSession(transaction, row, limits.sessions);
        if (typeof outcome === 'object') throw new SessionFound(outcome.former);
        assertWithinLimits(outcome, limits);
      });
    const { id, status } =
      former === undefined ? await created(create()) : ({ id: former, status: 200 } as const);
    const row = await authorize(userId, 'read', await db.findSession(database, { id, userId }));
    const session = await describeSession(database, row);
    return reply.code(status).header('location', `/sessions/${id}`).send(session);
  });
}

async function created(creating: Promise<string>) {
  try {
    return { id: await creating, status: 201 } as const;
  } catch (error) {
    if (error instanceof SessionFound) return { id: error.id, status: 200 } as const;
    throw error;
  }
}
