import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { changeSession } from './change-session.ts';
import { closeSession } from './close-session.ts';
import { createSession } from './create-session.ts';
import { createToken } from './create-token.ts';
import { deleteSession } from './delete-session.ts';
import { getSession } from './get-session.ts';
import { getSessionState } from './get-session-state.ts';
import { listSessions } from './list-sessions.ts';

export function sessionRoutes(app: ZodApp, deps: Deps): void {
  listSessions(app, deps);
  createSession(app, deps);
  getSession(app, deps);
  getSessionState(app, deps);
  changeSession(app, deps);
  deleteSession(app, deps);
  closeSession(app, deps);
  createToken(app, deps);
}
