import { type AdminClient, createAdminClient, userOf } from '@session/client/admin';
import type { Query } from '@tanstack/react-query';
import { createStore } from '@tanstack/react-store';
import { Connection } from './connection.ts';
import { createQueries } from './queries.ts';
import type { ConsoleService } from './service.ts';
import type { SignIn } from './sign-in.ts';

export function createService(
  parts: Pick<ConsoleService, 'config' | 'demoKey' | 'signIn' | 'theme' | 'singleKeys'>,
): ConsoleService {
  const { config, signIn } = parts;
  const queries = createQueries(() => signIn.token() !== null);
  const client: AdminClient = createAdminClient({
    baseUrl: config.apiUrl,
    fetch: (...request) => connection.fetch(...request),
    token: tokenOf(signIn),
  });
  const connection = new Connection(
    (signal) => client.service.info({ signal }),
    () => void queries.invalidateQueries(),
    () => client.retryNow(),
  );
  // The cache is cleared when another user signs in, who must not see what the former user has read. It is not cleared at
  // the sign-out, because pages that are still shown would read everything again. It also keeps what the first user reads
  // while signing in. A new token of the same user, for example after a changed password in another tab, keeps the pages,
  // because a reset would end a call and empty a form.
  let last = signIn.token();
  signIn.changes.subscribe(() => {
    const token = signIn.token();
    if (!token) {
      void queries.cancelQueries();
      // The timer of an interval stops only when its query changes and is disabled by then, so each shown query is
      // changed here. A query that has failed is invalidated already.
      for (const query of queries.getQueryCache().findAll({ predicate: isShown })) {
        query.setState({ isInvalidated: true });
      }
    } else if (last && userOf(token) !== userOf(last)) void queries.resetQueries();
    else if (last) void queries.invalidateQueries();
    last = token ?? last;
  });
  return { ...parts, client, queries, connection, unsaved: createStore<boolean>(false) };
}

function isShown(query: Query): boolean {
  return query.getObserversCount() > 0;
}

/** Returns a source of the signed-in user's token. A refused token is removed, unless another tab has stored a newer one. */
function tokenOf(signIn: SignIn) {
  let given: string | null = null;
  return ({ refused }: { readonly refused: boolean }): string | null => {
    if (refused) signIn.refuse(given);
    given = signIn.token();
    return given;
  };
}
