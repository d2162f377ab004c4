import { startTestProvider, type TestProvider } from '@session/testing/identity-provider';
import { v7 as uuidv7 } from 'uuid';
import type { TestApi } from './api.ts';
import { apiTest } from './api-test.ts';

interface Finish {
  readonly handle: string;
  readonly code: string;
  readonly state: string;
}

/** As `apiTest`, with a real identity provider, by which people sign in at the API. */
export const providerTest = apiTest
  .extend('consoleUrl', { scope: 'file' }, 'https://console.example.org')
  .extend('provider', { scope: 'file' }, async ({ consoleUrl }, { onCleanup }) => {
    const provider = await startTestProvider({ consoleUrl });
    onCleanup(() => provider[Symbol.asyncDispose]());
    return provider;
  })
  .extend('options', ({ provider }) => ({ env: provider.env }))
  /** A person whom the provider knows: the subject, with the claims. */
  .extend('ada', ({ provider }) => newPerson(provider));

export function newPerson(provider: TestProvider, name = 'Ada') {
  const sub = uuidv7();
  const claims = { email: `${sub}@example.org`, email_verified: true, name };
  provider.people.set(sub, claims);
  return { sub, ...claims };
}

/** Begins to sign in at the API, signs in at the provider, and returns what the console sends at the end. */
export async function comeBack(
  api: TestApi,
  provider: TestProvider,
  { sub }: { readonly sub: string },
): Promise<Finish> {
  const answer = await api.app.inject({ method: 'POST', url: '/auth/provider/start' });
  const { url, handle } = answer.json();
  return { handle, ...(await provider.signIn(url, sub)) };
}

export async function finish(api: TestApi, payload: Finish) {
  const answer = await api.app.inject({ method: 'POST', url: '/auth/provider/finish', payload });
  return { status: answer.statusCode, body: answer.json() };
}

export async function signIn(
  api: TestApi,
  provider: TestProvider,
  person: { readonly sub: string },
) {
  return await finish(api, await comeBack(api, provider, person));
}
