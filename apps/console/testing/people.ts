import { randomUUID } from 'node:crypto';
import { type Client, createClient } from '@session/client';
import { testStack } from '@session/testing/browser-test';

/** A user of the stack, with a client that acts for this user. */
export interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly password: string;
  readonly token: string;
  readonly client: Client;
}

/** Signs up a user with an address that no other test has. */
export async function signUp(name = 'Ada Park'): Promise<Person> {
  const baseUrl = testStack().apiUrl;
  const account = { email: `${randomUUID()}@example.org`, password: 'correct horse', name };
  const { token, user } = await createClient({ baseUrl }).auth.signUp(account);
  return { ...account, id: user.id, token, client: createClient({ baseUrl, token }) };
}
