import { isIP } from 'node:net';
import { hostAddress, isLinkLocal } from '@session/kit';
import { type ModelSettings, NO_KEY, REHEARSAL_KEY } from '../settings/settings.ts';
import { HttpExchange } from './http-exchange.ts';
import { ModelFailure } from './model-failure.ts';

export interface AskModelOptions {
  readonly isClosed: (address: string) => boolean;
  /**
   * Whether a proxy may resolve the endpoint's name. `isClosed` cannot check the address to which the proxy connects. If
   * false, `askModel` returns undefined for a name behind a proxy.
   */
  readonly mayProxyResolve: boolean;
  readonly timeoutMs: number;
}

/**
 * Asks a model's endpoint once whether it exists and accepts the key. Reads no body and follows no redirect. Returns the
 * failure that an agent would get; undefined when an answer is possible, or the address is closed.
 */
export async function askModel(
  { prefix, baseUrl, apiKey, proxies }: ModelSettings,
  { isClosed, mayProxyResolve, timeoutMs }: AskModelOptions,
): Promise<ModelFailure | undefined> {
  if (apiKey === REHEARSAL_KEY) return undefined;
  const url = new URL(`${baseUrl}/models`);
  const isName = isIP(hostAddress(url.hostname)) === 0;
  const isBehindProxy = Object.keys(proxies).length > 0;
  if (isBehindProxy && isName && !mayProxyResolve) return undefined;
  let hasClosed = false;
  const isRefused = (address: string) => {
    const isHere = isClosed(address);
    hasClosed ||= isHere;
    return isHere || isLinkLocal(address);
  };
  using exchange = new HttpExchange({ variable: `${prefix}_BASE_URL`, proxies, isRefused });
  const headers = {
    accept: 'application/json',
    ...(apiKey !== NO_KEY && { authorization: `Bearer ${apiKey}` }),
  };
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await exchange.sendOnce(url, { method: 'GET', headers }, signal);
    response.destroy();
    return failureOf(response.statusCode ?? 0);
  } catch (error) {
    if (hasClosed) return undefined;
    if (error instanceof ModelFailure) return error;
    if (!signal.aborted) throw error;
    return new ModelFailure('unreachable', `no answer within ${timeoutMs / 1000} s`);
  }
}

function failureOf(status: number): ModelFailure | undefined {
  const message = `the endpoint answered HTTP ${status}`;
  if (status === 401 || status === 403) return new ModelFailure('refused', message);
  return status >= 500 ? new ModelFailure('unreachable', message) : undefined;
}
