import { StartError } from '@session/kit';
import * as z from 'zod';

export interface ProviderConfig {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUrl: string;
  readonly isOnly: boolean;
}

interface Variables {
  readonly OIDC_ISSUER?: string | undefined;
  readonly OIDC_CLIENT_ID?: string | undefined;
  readonly OIDC_CLIENT_SECRET?: string | undefined;
  readonly OIDC_ONLY: boolean;
  readonly CONSOLE_URL: string;
}

const NEEDED = {
  OIDC_ISSUER: 'the https:// URL of the identity provider is needed',
  OIDC_CLIENT_ID: 'the id of this service at the identity provider is needed',
  OIDC_CLIENT_SECRET: 'the secret that belongs to OIDC_CLIENT_ID is needed',
  CONSOLE_URL: 'the URL at which browsers reach the console is needed',
};

export function issuer() {
  const error = 'an https:// URL is needed, or an http:// URL on loopback';
  return z
    .url({ protocol: /^https?$/, error, abort: true })
    .refine((url) => !/[@?#]/.test(url), { error: 'remove password, query and fragment' })
    .refine((url) => isSafe(new URL(url)), { error });
}

function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

/**
 * Returns undefined if no variable of the provider is set, or if `given` lacks one because its value is not valid. Throws
 * a StartError with one line for each missing variable, which may be `CONSOLE_URL`.
 */
export function readProvider(
  env: NodeJS.ProcessEnv,
  given: Variables | undefined,
): ProviderConfig | undefined {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = env;
  if (!(OIDC_ISSUER || OIDC_CLIENT_ID || OIDC_CLIENT_SECRET || given?.OIDC_ONLY)) return undefined;
  const missing = Object.entries(NEEDED).filter(([name]) => !env[name]);
  if (missing.length > 0) {
    throw new StartError(missing.map(([name, why]) => `${name} is not set: ${why}`).join('\n'));
  }
  if (!(given?.OIDC_ISSUER && given.OIDC_CLIENT_ID && given.OIDC_CLIENT_SECRET)) return undefined;
  return {
    issuer: given.OIDC_ISSUER,
    clientId: given.OIDC_CLIENT_ID,
    clientSecret: given.OIDC_CLIENT_SECRET,
    redirectUrl: `${given.CONSOLE_URL}/sign-in/provider`,
    isOnly: given.OIDC_ONLY,
  };
}
