import { isApiError } from '@session/client';
import type { AdminClient } from '@session/client/admin';
import type { QueryClient } from '@tanstack/react-query';
import { type Store, useSelector } from '@tanstack/react-store';
import { createContext, useContext } from 'react';
import type { Config } from './config.ts';
import type { Connection } from './connection.ts';
import type { SingleKeys, ThemeChoice } from './kept-choice.ts';
import type { SignIn } from './sign-in.ts';

export interface ConsoleService {
  readonly config: Config;
  readonly demoKey: string | null;
  readonly client: AdminClient;
  readonly signIn: SignIn;
  readonly queries: QueryClient;
  readonly connection: Connection;
  readonly theme: Store<ThemeChoice>;
  readonly singleKeys: Store<SingleKeys>;
  /** Whether the page has a form with changes that are not saved. */
  readonly unsaved: Store<boolean>;
}

const ServiceContext = createContext<ConsoleService | undefined>(undefined);

export const ServiceProvider = ServiceContext.Provider;

export function useService(): ConsoleService {
  const service = useContext(ServiceContext);
  if (!service) throw new Error('useService must be called inside a ServiceProvider');
  return service;
}

/**
 * Returns whether nobody is signed in, and the page stays for its unsaved changes. No page stays after a sign-out in its
 * own tab.
 */
export function isKeptSignedOut({ signIn, unsaved }: ConsoleService): boolean {
  return unsaved.state && signIn.token() === null && signIn.reason !== 'signed-out';
}

export function useOfflineSince(): number | null {
  return useSelector(useService().connection.offlineSince);
}

export function isMissing(error: unknown): boolean {
  return isApiError(error, 'not_found');
}
