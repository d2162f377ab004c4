import * as db from '@session/db';
import { AppError, type ErrorCode } from '@session/kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { accountGone } from '../../permissions.ts';
import { countFailedLogins } from './failed-logins.ts';
import { loginNetworkOf } from './login-network.ts';

// The hash of an unknown random password. It is compared when there is no such user, or one without a password, so that
// the duration of the answer reveals neither.
const UNKNOWN_HASH = '$2b$12$sj5eyXODjTm0hcZZmw/7w.lDbkX0TsIIER9QnWWpg0o0qN1w7l1OK';

interface Attempt {
  readonly email: string;
  readonly password: string;
  readonly refusal: ErrorCode;
}

export interface CheckedPassword extends Disposable {
  readonly user: db.UserForLogin;
  hash(password: string): Promise<string>;
}

/**
 * Returns the user whose password was sent. Throws `refusal` for a wrong password, `passwords_off`, `no_password` for
 * the caller's own account without a password, and the errors of `FailedLogins` and `PasswordHasher`.
 */
export type CheckPassword = (
  request: FastifyRequest,
  reply: FastifyReply,
  attempt: Attempt,
) => Promise<CheckedPassword>;

export const PASSWORD_CODES = ['passwords_off', 'overloaded', 'too_many_requests'] as const;
export const OWN_PASSWORD_CODES = ['wrong_password', 'no_password', ...PASSWORD_CODES] as const;

export function assertPasswordsOn({ provider }: Deps['config']): void {
  if (provider?.isOnly) throw new AppError('passwords_off', 'OIDC_ONLY is set');
}

/** Returns the check for all routes that take a password, which share one count of failures. */
export function createCheckPassword(
  app: ZodApp,
  { config, passwords, reserved }: Deps,
): CheckPassword {
  const failures = countFailedLogins(app);
  return async (request, reply, { email, password, refusal }) => {
    assertPasswordsOn(config);
    request.triedEmail = email;
    await failures.refuseNetwork(request, reply);
    const user = await db.findUserByEmail(reserved, email);
    if (refusal === 'wrong_password' && user?.passwordHash === '') {
      throw new AppError('no_password', 'the account has no password');
    }
    const network = loginNetworkOf(config.jwt, email, request.ip);
    const isKnown = user?.loginNetworks.includes(network) ?? false;
    using stack = new DisposableStack();
    const turn = stack.use(passwords.takeTurn(isKnown ? 'knownLogIn' : 'logIn', request.ip));
    if (!isKnown) await failures.refuseStranger(request, reply);
    const isPassword = await turn.matches(password, user?.passwordHash || UNKNOWN_HASH);
    if (!(user?.passwordHash && isPassword)) {
      await failures.count(request);
      throw new AppError(refusal, 'no such user or password');
    }
    if (user.loginNetworks[0] !== network) {
      await db.rememberLoginNetwork(reserved, user.id, network);
    }
    const owned = stack.move();
    return {
      user,
      hash: (other) => turn.hash(other),
      [Symbol.dispose]: () => owned.dispose(),
    };
  };
}

export async function checkOwnPassword(
  check: CheckPassword,
  { database }: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  password: string,
): Promise<CheckedPassword> {
  const user = await db.findUser(database, request.userId);
  if (!user) throw accountGone();
  return await check(request, reply, { email: user.email, password, refusal: 'wrong_password' });
}
