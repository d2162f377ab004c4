import { randomUUID } from 'node:crypto';
import { FILLED_PASSWORD, fillUser } from '@session/testing/browser';
import { type AdminClient, createAdminClient } from '../src/admin.ts';
import { createClient } from '../src/index.ts';
import type { RealApi } from './real-api.ts';

interface TestPerson {
  readonly id: string;
  readonly email: string;
  readonly token: string;
  readonly client: AdminClient;
}

/** Makes a user with an address that no other test has, and logs it in: a hash of a sign-up takes seconds on a busy machine. */
export async function newPerson(
  { url: baseUrl, databaseUrl }: Pick<RealApi, 'databaseUrl' | 'url'>,
  name: string,
): Promise<TestPerson> {
  const account = { email: `${randomUUID()}@example.org`, password: FILLED_PASSWORD };
  await fillUser(databaseUrl, account.email, name);
  const { token, user } = await createClient({ baseUrl }).auth.logIn(account);
  return {
    id: user.id,
    email: account.email,
    token,
    client: createAdminClient({ baseUrl, token }),
  };
}
