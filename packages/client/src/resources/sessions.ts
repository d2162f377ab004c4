import {
  type CallOptions,
  type CreateOptions,
  changing,
  creating,
  ending,
  path,
  reading,
} from '../http/call.ts';
import { type ListOptions, listOf } from '../http/list.ts';
import type { Transport } from '../http/transport.ts';
import type {
  CreatedSession,
  ListedSession,
  NewAgent,
  NewSession,
  Session,
  SessionChange,
  SessionState,
  SessionToken,
} from '../shapes.ts';

export interface ListSessionsOptions extends ListOptions {
  readonly status?: Session['status'] | undefined;
  /** `desc`, the newest first, by default. */
  readonly order?: 'asc' | 'desc' | undefined;
  /** Words, each of which must be the beginning of a word in the session's name. */
  readonly q?: string | undefined;
  readonly externalId?: string | undefined;
  /** Your id of an end user who got a token for the session. */
  readonly participant?: string | undefined;
  readonly createdAfter?: string | undefined;
  readonly createdBefore?: string | undefined;
  /** A value of the session's metadata: `{ 'metadata[customer]': 'c-17' }`. */
  readonly [key: `metadata[${string}]`]: string | undefined;
}

export interface SessionStateOptions extends CallOptions {
  /** Leaves out messages that are later than this time. */
  readonly asOf?: string | undefined;
}

export interface CreateTokenOptions extends CallOptions {
  /**
   * `join` by default. `observe`: hidden, and unable to send. `operator`: in the place of agents, which are silent meanwhile.
   */
  readonly mode?: 'join' | 'observe' | 'operator' | undefined;
  /** For an API key or an ADMIN: your product's end user who gets the token, and an `accessToken` for the API. */
  readonly participant?:
    | {
        readonly id: string;
        readonly name: string;
        readonly attributes?: Readonly<Record<string, string>>;
      }
    | undefined;
  /** What `accessToken` may read: `all` messages (default), or those since the end user's first token for this session. */
  readonly history?: 'all' | 'since_join' | undefined;
  /** How many seconds `accessToken` is valid, at most until the API key expires; 3600 by default. */
  readonly accessTtl?: number | undefined;
}

/** A session to create. With `agents` and `token`, the conversation can begin at once. */
export interface SessionBody extends NewSession {
  /** Up to five. For each agent, the answer contains the agent, or the problem that prevented its start. */
  readonly agents?: NewAgent[] | undefined;
  readonly token?: Omit<CreateTokenOptions, 'signal'> | undefined;
}

export function sessionsOf(transport: Transport) {
  return {
    /** Returns a project's sessions, the newest first, each with its latest words and its live agents. */
    list: (projectId: string, options?: ListSessionsOptions) =>
      listOf<ListedSession>(transport, path`/projects/${projectId}/sessions`, options),
    /**
     * Creates a session, or returns the project's session that already has the `externalId`. Then starts `agents` in it, and
     * returns a `token` for it.
     */
    create: (projectId: string, body: SessionBody, options?: CreateOptions) =>
      transport.json<CreatedSession>(
        creating(path`/projects/${projectId}/sessions`, body, options),
      ),
    get: (id: string, options?: CallOptions) =>
      transport.json<Session>(reading(path`/sessions/${id}`, options)),
    getState: (id: string, { signal, ...query }: SessionStateOptions = {}) =>
      transport.json<SessionState>({
        ...reading(path`/sessions/${id}/state`, { signal }),
        query,
      }),
    /** Changes a session's name, its metadata (null removes a key) or its external id. */
    rename: (id: string, body: SessionChange, options?: CallOptions) =>
      transport.json<Session>(changing(path`/sessions/${id}`, body, options)),
    /** Closes a session for good: its agents stop, and its room is deleted. Closing it again has no effect. */
    close: (id: string, options?: CallOptions) =>
      transport.json<Session>({ ...reading(path`/sessions/${id}/close`, options), method: 'POST' }),
    delete: (id: string, options?: CallOptions) =>
      transport.nothing(ending(path`/sessions/${id}`, options)),
    /** Returns a token for the session's room, in the shape that LiveKit's `TokenSource` reads. Throws `session_closed`. */
    createToken: (id: string, { signal, ...body }: CreateTokenOptions = {}) =>
      transport.json<SessionToken>({
        ...reading(path`/sessions/${id}/token`, { signal }),
        method: 'POST',
        retry: 'never',
        // A conversation rejoins its room by itself.
        isBackground: true,
        body,
      }),
  };
}
