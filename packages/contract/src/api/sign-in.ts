import * as z from 'zod';

export const SignInMethods = z
  .object({
    passwords: z.boolean().describe('Whether sign-up and log-in by a password are open'),
    provider: z
      .object({ name: z.string() })
      .nullable()
      .describe('The identity provider by which people sign in; null without one'),
    mail: z.boolean().describe('Whether the service sends mail'),
  })
  .meta({
    id: 'SignInMethods',
    examples: [{ passwords: true, provider: { name: 'login.example.org' }, mail: false }],
  });
export type SignInMethods = z.infer<typeof SignInMethods>;

export const ProviderSignIn = z
  .object({
    url: z.string().describe('The page of the identity provider, for the browser of the person'),
    handle: z.string().describe('For `POST /auth/provider/finish`, within ten minutes'),
  })
  .meta({
    id: 'ProviderSignIn',
    examples: [
      { url: 'https://login.example.org/authorize?client_id=…', handle: '3f1c9a….Xk2b….pQ7x…' },
    ],
  });
export type ProviderSignIn = z.infer<typeof ProviderSignIn>;
