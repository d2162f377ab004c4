import { AuditEvent, AuditQuery, Id, pageOf } from '@session/contract';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';

const params = z.object({ projectId: Id });

export function listAuditEvents(app: ZodApp, { authorize, database }: Deps): void {
  const response = { 200: pageOf(AuditEvent) };
  const schema = {
    tags: ['projects'],
    operationId: 'listAuditEvents',
    summary: 'List who did what in a project, the newest event first',
    description:
      'For an ADMIN or an OWNER. Lists what was done to members, API keys, templates, agents and sessions, to which sessions end users were first let in, and by whom. An event is stored together with what it notes, and kept for 400 days. With `action` or `actor` a page may have fewer events than `limit`, or none, while `nextCursor` leads on: the list ends where it is null.',
    problems: ['forbidden', 'invalid_cursor', 'not_found'] as const,
    params,
    querystring: AuditQuery,
    response,
  };
  const route = { schema, config: { people: true } };
  app.get('/projects/:projectId/audit', route, async ({ userId, params: project, query }) => {
    const found = await db.listAuditEvents(database, { ...query, ...project, userId });
    const { isCursorKnown, events, nextCursor } = await authorize(userId, 'readAudit', found);
    if (!isCursorKnown) throw new AppError('invalid_cursor', 'no such event in the project');
    return { items: events, nextCursor };
  });
}
