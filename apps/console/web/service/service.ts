import { type Client, createClient, isApiError } from '@session/client';
import type { QueryClient } from '@tanstack/react-query';
import { createContext, useContext, useSyncExternalStore } from 'react';
import type { Config } from './config.ts';
import { Connection } from './connection.ts';
import { createQueries } from './queries.ts';
import type { SignIn } from './sign-in.ts';
import type { Theme } from './theme.ts';

/** What every page works with. */
export interface Service {
  readonly config: Config;
  readonly client: Client;
  readonly signIn: SignIn;
  readonly queries: QueryClient;
  readonly connection: Connection;
  readonly theme: Theme;
}

/** Returns what every page works with. A token that the API refuses is forgotten, and the user signs in again. */
export function createService(config: Config, signIn: SignIn, theme: Theme): Service {
  const queries = createQueries();
  const client: Client = createClient({
    baseUrl: config.apiUrl,
    fetch: (...request) => connection.fetch(...request),
    token: tokenOf(signIn),
  });
  const connection = new Connection(
    (signal) => client.service.info({ signal }),
    () => void queries.invalidateQueries(),
  );
  // What one user has read is not shown to the next.
  let last = signIn.token();
  signIn.subscribe(() => {
    const token = signIn.token();
    if (token === last) return;
    last = token;
    if (token) void queries.resetQueries();
    else queries.clear();
  });
  return { config, client, signIn, queries, connection, theme };
}

/** Returns the token of whoever is signed in now. A refused one is replaced by that of another tab, if there is one. */
function tokenOf(signIn: SignIn) {
  let given: string | null = null;
  return ({ expired }: { readonly expired: boolean }): string | null => {
    if (expired) signIn.refuse(given);
    given = signIn.token();
    return given;
  };
}

const ServiceContext = createContext<Service | undefined>(undefined);

export const ServiceProvider = ServiceContext.Provider;

/** Returns what every page works with. */
export function useService(): Service {
  const service = useContext(ServiceContext);
  if (!service) throw new Error('there is no ServiceProvider');
  return service;
}

/** Returns when the API stopped answering; null while it answers. */
export function useOfflineSince(): number | null {
  const { connection } = useService();
  return useSyncExternalStore(connection.subscribe, connection.getSnapshot).offlineSince;
}

/** Returns whether what a page asked for does not exist for this user. */
export function isMissing(error: unknown): boolean {
  return isApiError(error, 'not_found');
}
