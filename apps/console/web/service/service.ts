import { type Client, createClient, isApiError } from '@session/client';
import { QueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import type { Config } from './config.ts';
import type { SignIn } from './sign-in.ts';

/** What every page works with. */
export interface Service {
  readonly config: Config;
  readonly client: Client;
  readonly signIn: SignIn;
  readonly queries: QueryClient;
}

/** Returns what every page works with. A token that the API refuses is forgotten, and the user signs in again. */
export function createService(config: Config, signIn: SignIn): Service {
  const client = createClient({
    baseUrl: config.apiUrl,
    token: ({ expired }) => {
      if (expired) signIn.forget();
      return signIn.token();
    },
  });
  // The SDK retries by itself whatever may be retried.
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  return { config, client, signIn, queries };
}

const ServiceContext = createContext<Service | undefined>(undefined);

export const ServiceProvider = ServiceContext.Provider;

/** Returns what every page works with. */
export function useService(): Service {
  const service = useContext(ServiceContext);
  if (!service) throw new Error('there is no ServiceProvider');
  return service;
}

/** Returns whether what a page asked for does not exist for this user. */
export function isMissing(error: unknown): boolean {
  return isApiError(error, 'not_found');
}
