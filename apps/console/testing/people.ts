import { randomUUID } from 'node:crypto';
import { createClient } from '@session/client';
import { type AdminClient, createAdminClient } from '@session/client/admin';
import { FILLED_PASSWORD, fillUser } from '@session/testing/browser';
import { testStack } from '@session/testing/browser-test';

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly password: string;
  readonly token: string;
  readonly client: AdminClient;
}

export async function signUp(name = 'Ada Park'): Promise<Person> {
  const { apiUrl: baseUrl, databaseUrl } = testStack();
  const account = { email: `${randomUUID()}@example.org`, password: FILLED_PASSWORD };
  await fillUser(databaseUrl, account.email, name);
  const { token, user } = await createClient({ baseUrl }).auth.logIn(account);
  return { ...account, name, id: user.id, token, client: createAdminClient({ baseUrl, token }) };
}
