import type { FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';
import { COUNTED_KEYS, siteOf } from '../http/plugins/rate-limit.ts';
import type { ZodApp } from '../http/zod-app.ts';
import { type ComposeMail, Mailer } from './mailer.ts';

const HOUR_MS = 3_600_000;
/** Counts the mails of all senders, so that nobody can fill a mailbox. */
const TO_ADDRESS_PER_HOUR = 5;
/** Keeps an account from sending unwanted mails to many people. */
const OF_ACCOUNT_PER_DAY = 100;

declare module 'fastify' {
  interface FastifyRequest {
    mailedEmail: string;
  }
}

export interface Mails {
  readonly isOn: boolean;
  /**
   * Returns whether a mail to `email` will be tried. Returns false without a mail server, after too many mails to the
   * address or for the account, and while too many mails wait.
   */
  send(request: FastifyRequest, email: string, compose: ComposeMail): Promise<boolean>;
}

/** Opens the mailer of `app`. Each process counts its limits for itself. The mailer is drained when `app` is closed. */
export function openMails(
  app: ZodApp,
  { config, metrics }: Pick<Deps, 'config' | 'metrics'>,
): Mails {
  const mailer = new Mailer({ mail: config.mail, metrics, log: app.log });
  app.addHook('onClose', () => mailer[Symbol.asyncDispose]());
  app.decorateRequest('mailedEmail', '');
  const limit = (
    keyGenerator: (request: FastifyRequest) => string,
    max: number,
    timeWindow: number,
  ) => {
    const options = { keyGenerator, max, timeWindow, cache: COUNTED_KEYS };
    return app.createRateLimit(options);
  };
  // Counted separately, because invitations by others must not block the mail for a forgotten password.
  const toAddress = limit(
    ({ mailedEmail, userId }) => `${userId === '' ? 'password' : 'invitation'} ${mailedEmail}`,
    TO_ADDRESS_PER_HOUR,
    HOUR_MS,
  );
  const ofAccount = limit(({ userId }) => userId, OF_ACCOUNT_PER_DAY, 24 * HOUR_MS);
  return {
    isOn: mailer.isOn,
    async send(request, email, compose) {
      if (!mailer.isOn) return false;
      request.mailedEmail = email;
      const counts = [await toAddress(request)];
      if (request.userId !== '') counts.push(await ofAccount(request));
      if (counts.some((count) => !count.isAllowed && count.isExceeded)) return false;
      return mailer.send(request.userId || siteOf(request.ip), compose);
    },
  };
}
