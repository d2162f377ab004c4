import type { Deps } from '../../deps.ts';
import type { WrongLinks } from '../../http/links/wrong-links.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import type { Mails } from '../../mail/mails.ts';
import { changeMe } from './change-me.ts';
import { changePassword } from './change-password.ts';
import { createCheckPassword } from './check-password.ts';
import { deleteMe } from './delete-me.ts';
import { finishProviderSignIn } from './finish-provider-sign-in.ts';
import { forgotPassword } from './forgot-password.ts';
import { getMe } from './get-me.ts';
import { getSignInMethods } from './get-sign-in-methods.ts';
import { logIn } from './log-in.ts';
import { resetPassword } from './reset-password.ts';
import { signOut } from './sign-out.ts';
import { signUp } from './sign-up.ts';
import { startProviderSignIn } from './start-provider-sign-in.ts';

export function authRoutes(
  app: ZodApp,
  deps: Deps,
  { mails, wrongLinks }: { readonly mails: Mails; readonly wrongLinks: WrongLinks },
): void {
  const checkPassword = createCheckPassword(app, deps);
  signUp(app, deps);
  logIn(app, deps, checkPassword);
  forgotPassword(app, deps, mails);
  resetPassword(app, deps, wrongLinks);
  getSignInMethods(app, deps);
  startProviderSignIn(app, deps);
  finishProviderSignIn(app, deps);
  getMe(app, deps);
  changeMe(app, deps, checkPassword);
  changePassword(app, deps, checkPassword);
  signOut(app, deps);
  deleteMe(app, deps, checkPassword);
}
