import { Conversation } from './conversation/conversation.ts';
import type { ConversationApi, ConversationOptions } from './conversation/parts.ts';
import { Bearer, type TokenSource } from './http/bearer.ts';
import { Transport } from './http/transport.ts';
import { agentsOf } from './resources/agents.ts';
import { authOf } from './resources/auth.ts';
import { arrivingMessages } from './resources/message-stream.ts';
import { messagesOf } from './resources/messages.ts';
import { agentTypesOf, serviceOf } from './resources/operations.ts';
import { projectsOf } from './resources/projects.ts';
import { sessionsOf } from './resources/sessions.ts';
import { envTemplatesOf, planTemplatesOf } from './resources/templates.ts';

const TIMEOUT_MS = 30_000;
const MAX_RETRIES = 2;

export interface ClientOptions {
  /** The address of the API, such as `https://api.example.org`. In a browser, it may be a path such as `/api`. */
  readonly baseUrl: string;
  /** The caller's bearer token. Signing up, logging in and `service` need none. */
  readonly token?: TokenSource;
  readonly fetch?: typeof globalThis.fetch;
  /** How long an answer may take; 30,000 ms by default. */
  readonly timeoutMs?: number;
  /** How often a failed request is retried where that is safe; 2 by default. */
  readonly maxRetries?: number;
  /** Returns a number from 0 to 1, `Math.random` by default. It spreads retries over time. */
  readonly random?: () => number;
}

export function connect(options: ClientOptions): Transport {
  const { token, timeoutMs = TIMEOUT_MS, maxRetries = MAX_RETRIES, random = Math.random } = options;
  // In a browser, `fetch` must be called as a method of its window.
  const fetch: typeof globalThis.fetch =
    options.fetch ?? ((...request) => globalThis.fetch(...request));
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const bearer = new Bearer(token);
  return new Transport({ baseUrl, bearer, fetch, timeoutMs, maxRetries, random });
}

/**
 * Returns a client of the API. Every method that sends a request takes an `AbortSignal`, and throws an ApiError when the API
 * answers with a failure, or a ConnectionError when there is no answer. A failed request is retried if that is safe.
 */
export function createClient(options: ClientOptions) {
  return clientOf(connect(options));
}

export function clientOf(transport: Transport) {
  const auth = authOf(transport);
  const sessions = sessionsOf(transport);
  const messages = messagesOf(transport);
  const arrivals: ConversationApi['arrivals'] = (id, options) =>
    arrivingMessages(transport, id, options);
  const retryNow = () => transport.retryNow();
  return {
    auth,
    projects: projectsOf(transport),
    sessions,
    messages,
    agentTypes: agentTypesOf(transport),
    agents: agentsOf(transport),
    envTemplates: envTemplatesOf(transport),
    planTemplates: planTemplatesOf(transport),
    service: serviceOf(transport),
    /**
     * Starts the next attempt at once while the API cannot be reached, for example when a person asks for it or the device is
     * online again. Without this call, reads share attempts, after waits of up to 8 s, or up to a minute if a server asks for
     * it.
     */
    retryNow,
    conversation: (sessionId: string, given: ConversationOptions = {}) =>
      new Conversation(
        { auth, messages, sessions, arrivals, retryNow },
        sessionId,
        given,
        transport.options.random,
      ),
  };
}

export type Client = ReturnType<typeof createClient>;
