import type { AdminClient } from '@session/client/admin';
import { queryOptions } from '@tanstack/react-query';
import type { ConsoleService } from './service.ts';

const KEY = 'session.provider-sign-in';
/** After this time the form is shown with a password field, and no longer waits for the answer. */
const MAX_WAIT_MS = 1000;

interface BegunSignIn {
  readonly handle: string;
  readonly from: string | undefined;
}

export function signInMethodsQuery(client: AdminClient) {
  return queryOptions({
    queryKey: ['sign-in-methods'],
    queryFn: ({ signal }) => client.signIn.methods({ signal }),
    staleTime: Infinity,
    enabled: true,
  });
}

/** Waits a moment for the ways to sign in, so that the form does not move when they arrive. */
export async function loadSignInMethods({ client, queries }: ConsoleService): Promise<void> {
  const isLate = new Promise<void>((resolve) => void setTimeout(resolve, MAX_WAIT_MS));
  await Promise.race([queries.prefetchQuery(signInMethodsQuery(client)), isLate]);
}

/** Keeps the handle in this tab, so that no other tab or browser can finish the sign-in. */
export function keepBegunSignIn(begun: BegunSignIn): void {
  sessionStorage.setItem(KEY, JSON.stringify(begun));
}

export function takeBegunSignIn(): BegunSignIn | undefined {
  const kept = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  return kept === null ? undefined : JSON.parse(kept);
}
