import { SignInMethods } from '@session/contract';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';

export function getSignInMethods(app: ZodApp, { config, provider }: Deps): void {
  const schema = {
    tags: ['auth'],
    operationId: 'getSignInMethods',
    summary: 'Get the ways to sign in',
    description:
      'Returns whether passwords are open here, the identity provider if there is one, and whether the service sends mails.',
    response: { 200: SignInMethods },
  };
  app.get('/auth/methods', { schema, config: { public: true } }, () => ({
    passwords: !config.provider?.isOnly,
    provider: provider ? { name: provider.name } : null,
    mail: config.mail !== undefined,
  }));
}
