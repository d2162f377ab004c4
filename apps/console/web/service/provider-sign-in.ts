import type { AdminClient } from '@session/client/admin';
import { queryOptions } from '@tanstack/react-query';
import type { ConsoleService } from './service.ts';

const KEY = 'session.provider-sign-in';
/** The form is shown without an answer then, as before there were other ways. */
const MAX_WAIT_MS = 1000;

interface BegunSignIn {
  readonly handle: string;
  /** Where the person wanted to go. */
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

/** Waits for the ways to sign in, so that nothing of the form moves; not for long. */
export async function loadSignInMethods({ client, queries }: ConsoleService): Promise<void> {
  const isLate = new Promise<void>((resolve) => void setTimeout(resolve, MAX_WAIT_MS));
  await Promise.race([queries.prefetchQuery(signInMethodsQuery(client)), isLate]);
}

/** Keeps in this tab what ends a sign-in: no other tab or browser can end it. */
export function keepBegunSignIn(begun: BegunSignIn): void {
  sessionStorage.setItem(KEY, JSON.stringify(begun));
}

export function takeBegunSignIn(): BegunSignIn | undefined {
  const kept = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  return kept === null ? undefined : JSON.parse(kept);
}
