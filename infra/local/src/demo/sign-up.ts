import { randomUUID } from 'node:crypto';
import { type AdminClient, createAdminClient } from '@session/client/admin';

const TIMEOUT_MS = 10_000;

export async function signUp(
  baseUrl: string,
  name: string,
  signal?: AbortSignal,
): Promise<{ readonly client: AdminClient; readonly email: string }> {
  let token: string | undefined;
  const client = createAdminClient({ baseUrl, token: () => token, timeoutMs: TIMEOUT_MS });
  const account = { email: `demo-${randomUUID()}@example.com`, password: randomUUID(), name };
  ({ token } = await client.auth.signUp(account, { signal }));
  return { client, email: account.email };
}
