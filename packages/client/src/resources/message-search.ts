import { path, reading } from '../http/call.ts';
import type { ListOptions } from '../http/list.ts';
import type { Transport } from '../http/transport.ts';
import type { FoundMessages } from '../shapes.ts';

export interface MessageSearchOptions extends ListOptions {
  /** Words that were said, all of them; `"in this order"`, `this or that`, `-without`. */
  readonly q: string;
  readonly sessionId?: string | undefined;
  readonly role?: 'assistant' | 'user' | undefined;
  /** ISO 8601: said at this time or later. */
  readonly from?: string | undefined;
  /** ISO 8601: said before this time. */
  readonly to?: string | undefined;
}

/**
 * Returns a page of the messages of a project that contain the words of `q`, the newest first, each with a snippet. `highlights` are
 * ranges of the snippet: start and length, in the units of `slice`. Throws `search_too_broad` when the search takes too long.
 */
export async function searchMessages(
  transport: Transport,
  projectId: string,
  { signal, ...query }: MessageSearchOptions,
): Promise<FoundMessages> {
  const call = reading(path`/projects/${projectId}/messages/search`, { signal });
  return await transport.json<FoundMessages>({ ...call, query: { ...query } });
}
