import { v7 as uuidv7 } from 'uuid';
import type { RetryRule } from './retry.ts';

/** What every method takes beside its own parameters. */
export interface CallOptions {
  /** Ends the call, with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What a method that creates something takes. */
export interface CreateOptions extends CallOptions {
  /** With the same key and the same body nothing is made twice. Without one, each call makes its own. */
  readonly idempotencyKey?: string | undefined;
}

/** A request. */
export interface Call extends CreateOptions {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Made by `path`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  readonly body?: object | undefined;
  readonly accept?: string;
  readonly lastEventId?: string | undefined;
  readonly retry: RetryRule;
  /** Whether it goes without a token. */
  readonly isPublic?: boolean;
  /** A status that is an answer although it is none of 200 to 299. */
  readonly acceptedStatus?: number;
  /** How long the server is asked to wait before it answers, in milliseconds. */
  readonly waitMs?: number;
}

/** Returns a path with each value as one segment of its own. Throws a TypeError for a value that could be none. */
export function path(texts: TemplateStringsArray, ...ids: readonly string[]): string {
  for (const id of ids) {
    if (['', '.', '..'].includes(id)) throw new TypeError(`an id is needed, not '${id}'`);
  }
  return String.raw(texts, ...ids.map(encodeURIComponent));
}

/** Returns what the request of a method that reads has in common with others. */
export function reading({ signal }: CallOptions = {}) {
  return { method: 'GET', retry: 'always', signal } as const;
}

/** Returns what the request of a method that creates something has in common with others: its key makes a repeat safe. */
export function creating({ signal, idempotencyKey = uuidv7() }: CreateOptions = {}) {
  return { method: 'POST', retry: 'always', signal, idempotencyKey } as const;
}

/** Returns what the request of a method that changes something has in common with others. */
export function changing({ signal }: CallOptions = {}) {
  return { method: 'PATCH', retry: 'refused', signal } as const;
}

/** Returns what the request of a method that deletes or ends something has in common with others. */
export function ending({ signal }: CallOptions = {}) {
  return { method: 'DELETE', retry: 'always', signal } as const;
}
