import { type CallOptions, type CreateOptions, creating, path, reading } from '../http/call.ts';
import { type ListOptions, listOf } from '../http/list.ts';
import type { Transport } from '../http/transport.ts';
import type { LatestMessages, Message, NewMessage, SentMessage } from '../shapes.ts';

export interface MessageListOptions extends ListOptions {
  /** `desc`, the newest first, by default. */
  readonly order?: 'asc' | 'desc' | undefined;
  readonly kind?: string | undefined;
  readonly role?: Message['role'] | undefined;
}

export interface LatestOptions extends CallOptions {
  /** The `nextSince` of the last answer, or a time. */
  readonly since: string;
  readonly limit?: number | undefined;
  /** How many seconds a request waits for new messages, up to 25. */
  readonly wait?: number | undefined;
}

export interface ExportOptions extends CallOptions {
  readonly format?: 'jsonl' | 'markdown' | undefined;
  /** Whether JSON lines begin with a line `{"session": …}` (`ExportedSession`). */
  readonly session?: boolean | undefined;
}

export function messagesOf(transport: Transport) {
  return {
    list: (sessionId: string, options?: MessageListOptions) =>
      listOf<Message>(transport, path`/sessions/${sessionId}/messages`, options),
    /**
     * Returns what was stored, grew or was completed after `since`, in the order of these changes. With `wait`, waits for news
     * if there are none yet.
     */
    latest: (sessionId: string, { signal, ...query }: LatestOptions) =>
      transport.json<LatestMessages>({
        ...reading(path`/sessions/${sessionId}/messages/latest`, { signal }),
        query,
        waitMs: (query.wait ?? 0) * 1000,
      }),
    /**
     * Stores a text message, and sends it into the room. With an `id`, a repeat does not send the message twice. Throws
     * `media_unavailable` when the message is stored but the room could not be reached.
     */
    say: (sessionId: string, body: NewMessage, options?: CreateOptions) =>
      transport.json<SentMessage>(creating(path`/sessions/${sessionId}/messages`, body, options)),
    /** Yields the whole history as text in pieces, either Markdown or one line of JSON for each message. */
    export: (sessionId: string, { signal, ...query }: ExportOptions = {}) =>
      transport.text({
        ...reading(path`/sessions/${sessionId}/export`, { signal }),
        query,
        accept: 'application/jsonl, text/markdown',
      }),
  };
}
