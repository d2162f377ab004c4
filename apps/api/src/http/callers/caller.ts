import type { FastifyRequest } from 'fastify';

/** An end user of a customer's product, by a token that a key or an ADMIN of the project asked for. */
export interface ParticipantCaller {
  readonly kind: 'participant';
  readonly id: string;
  readonly version: number;
  readonly sessionId: string;
  readonly mayJoin: boolean;
  /** The history that it may read begins after this time (ISO 8601); null: it reads all. */
  readonly from: string | null;
}

export type Caller = { readonly kind: 'person' } | { readonly kind: 'key' } | ParticipantCaller;

declare module 'fastify' {
  interface FastifyContextConfig {
    public?: boolean;
    people?: boolean;
    /** Open to a participant: the parameter of the path that must name the session of the token, or `self` without one. */
    participant?: 'id' | 'sessionId' | 'self';
    /** The answer may take longer than a second, so it ends when its token ends: `cut`, or `announced` in the answer. */
    long?: 'cut' | 'announced';
  }
  interface FastifyRequest {
    caller: Caller;
    /** Whose membership counts: for a participant that of the account that asked for the token. Empty on a public route. */
    userId: string;
    tokenVersion: number;
    /** When the token or the key expires, in milliseconds since 1970; Infinity of a key that does not. */
    expiresAt: number;
    issuedAt: number;
    /** On a `long` route: aborts with the reason `token_ended`. */
    tokenEnd: AbortSignal;
  }
}

/** Returns the caller's own account. For a participant, `userId` is the account that asked for the token. */
export function actorOf({ caller, userId }: Pick<FastifyRequest, 'caller' | 'userId'>): string {
  return caller.kind === 'participant' ? caller.id : userId;
}

/** Returns the time (ISO 8601) after which the history begins that the caller may read; null: all of it. */
export function historyStartOf({ caller }: Pick<FastifyRequest, 'caller'>): string | null {
  return caller.kind === 'participant' ? caller.from : null;
}
