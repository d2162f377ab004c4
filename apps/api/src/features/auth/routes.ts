import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { changeMe } from './change-me.ts';
import { changePassword } from './change-password.ts';
import { createCheckPassword } from './check-password.ts';
import { deleteMe } from './delete-me.ts';
import { getMe } from './get-me.ts';
import { logIn } from './log-in.ts';
import { signOut } from './sign-out.ts';
import { signUp } from './sign-up.ts';

export function authRoutes(app: ZodApp, deps: Deps): void {
  const checkPassword = createCheckPassword(app, deps);
  signUp(app, deps);
  logIn(app, deps, checkPassword);
  getMe(app, deps);
  changeMe(app, deps, checkPassword);
  changePassword(app, deps, checkPassword);
  signOut(app, deps);
  deleteMe(app, deps, checkPassword);
}
