import { uuidV7 } from '@session/contract/room';
import type { RetryRule } from './retry.ts';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface CreateOptions extends CallOptions {
  /** Two calls with the same key and body create one object. Without a key, each call creates its own. */
  readonly idempotencyKey?: string | undefined;
}

export interface Call extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  readonly body?: object | undefined;
  readonly accept?: string;
  readonly header?: readonly [name: string, value: string | undefined];
  readonly retry: RetryRule;
  readonly isPublic?: boolean;
  readonly acceptedStatus?: number;
  readonly waitMs?: number;
  /** Whether the request shares attempts with others during an outage. By default, requests that read do. */
  readonly isBackground?: boolean;
}

/** Returns a path in which each value is one segment. Throws a TypeError for a value that cannot be a segment. */
export function path(texts: TemplateStringsArray, ...ids: readonly string[]): string {
  for (const id of ids) {
    if (['', '.', '..'].includes(id)) throw new TypeError(`an id is needed, not '${id}'`);
  }
  return String.raw(texts, ...ids.map(encodeURIComponent));
}

export function reading(address: string, { signal }: CallOptions = {}) {
  return { method: 'GET', retry: 'always', path: address, signal } as const;
}

export function creating(
  address: string,
  body: object,
  { signal, idempotencyKey = uuidV7() }: CreateOptions = {},
) {
  const header = ['idempotency-key', idempotencyKey] as const;
  return { method: 'POST', retry: 'always', path: address, body, signal, header } as const;
}

export function changing(address: string, body: object, { signal }: CallOptions = {}) {
  return { method: 'PATCH', retry: 'answered', path: address, body, signal } as const;
}

export function ending(address: string, { signal }: CallOptions = {}) {
  return { method: 'DELETE', retry: 'always', path: address, signal } as const;
}

export function posting(address: string, body: object, { signal }: CallOptions = {}) {
  return { method: 'POST', retry: 'refused', path: address, body, signal } as const;
}
