import type { FastifyRequest } from 'fastify';

export interface ParticipantCaller {
  readonly kind: 'participant';
  readonly id: string;
  readonly version: number;
  readonly sessionId: string;
  readonly mayJoin: boolean;
  /** The caller's history begins after this time (ISO 8601); null for the complete history. */
  readonly from: string | null;
}

export type Caller = { readonly kind: 'person' } | { readonly kind: 'key' } | ParticipantCaller;

declare module 'fastify' {
  interface FastifyContextConfig {
    public?: boolean;
    people?: boolean;
    /**
     * Opens the route to participants. The value is the path parameter that must name the token's session, or `self`
     * for a route without that parameter.
     */
    participant?: 'id' | 'sessionId' | 'self';
    /**
     * For answers that may take longer than a second. When the token ends, they are `cut`, or report it (`announced`).
     */
    long?: 'cut' | 'announced';
  }
  interface FastifyRequest {
    caller: Caller;
    /**
     * The account whose membership counts: for a participant, the account that requested the token. Empty on a public
     * route.
     */
    userId: string;
    tokenVersion: number;
    /** In milliseconds since 1970; Infinity for a key that does not expire. */
    expiresAt: number;
    issuedAt: number;
    /** On a `long` route: aborts with the reason `token_ended` when the token ends. */
    tokenEnd: AbortSignal;
  }
}

export function actorOf({ caller, userId }: Pick<FastifyRequest, 'caller' | 'userId'>): string {
  return caller.kind === 'participant' ? caller.id : userId;
}

export function historyStartOf({ caller }: Pick<FastifyRequest, 'caller'>): string | null {
  return caller.kind === 'participant' ? caller.from : null;
}
