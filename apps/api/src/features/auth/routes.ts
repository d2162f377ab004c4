import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { getMe } from './get-me.ts';
import { logIn } from './log-in.ts';
import { signUp } from './sign-up.ts';

export function authRoutes(app: ZodApp, deps: Deps): void {
  signUp(app, deps);
  logIn(app, deps);
  getMe(app, deps);
}
