import * as db from '@session/db';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { linkOf, newLinkSecret } from '../../http/links/link-secret.ts';
import { limitedTo } from '../../http/plugins/rate-limit.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import type { Mails } from '../../mail/mails.ts';
import { Email } from './auth-schema.ts';
import { assertPasswordsOn } from './check-password.ts';

const body = z.strictObject({ email: Email }).meta({ examples: [{ email: 'ada@example.org' }] });

const NO_MAIL =
  'password link requested, but not mailed: SMTP_URL not set; run reset-password to print link (docs/operations.md, Logins)';

export function forgotPassword(app: ZodApp, { config, reserved }: Deps, mails: Mails): void {
  const schema = {
    tags: ['auth'],
    operationId: 'forgotPassword',
    summary: 'Ask for a link to set a forgotten password',
    description:
      'Sends a link to the e-mail address, if it has an account and the service sends mails. The answer is the same in any case. The link is valid for an hour and once, and only the newest one. At most five of them an hour go to one address.',
    problems: ['passwords_off', 'too_many_requests'] as const,
    body,
    response: { 202: z.object({}).meta({ examples: [{}] }) },
  };
  const route = {
    schema,
    config: { public: true, ...limitedTo(config.http.loginsPerMinute) },
  };
  let isHintLogged = false;
  app.post('/auth/forgotten', route, async (request, reply) => {
    assertPasswordsOn(config);
    const { email } = request.body;
    if (!mails.isOn && !isHintLogged) {
      isHintLogged = true;
      app.log.warn(NO_MAIL);
    }
    await mails.send(request, email, async () => {
      const { secret, secretHash } = newLinkSecret();
      const isKnown = await db.upsertPasswordLink(reserved, { email, secretHash });
      return isKnown
        ? passwordMail(email, linkOf(config.consoleUrl, 'reset-password', secret))
        : undefined;
    });
    return reply.code(202).send({});
  });
}

function passwordMail(to: string, link: string) {
  return {
    to,
    subject: 'Set a new password',
    text: `To set a new password for ${to}, open this link within an hour. It works once:

${link}

If you did not ask for it, ignore this mail: your password stays as it is.
`,
  };
}
