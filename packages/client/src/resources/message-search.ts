import { path, reading } from '../http/call.ts';
import type { ListOptions } from '../http/list.ts';
import type { Transport } from '../http/transport.ts';
import type { FoundMessages } from '../shapes.ts';

export interface MessageSearchOptions extends ListOptions {
  /** Words that the message must contain, all of them. Also `"in this order"`, `this or that`, `-without`. */
  readonly q: string;
  readonly sessionId?: string | undefined;
  readonly role?: 'assistant' | 'user' | undefined;
  /** ISO 8601, inclusive. */
  readonly from?: string | undefined;
  /** ISO 8601, exclusive. */
  readonly to?: string | undefined;
}

export async function searchMessages(
  transport: Transport,
  projectId: string,
  { signal, ...query }: MessageSearchOptions,
): Promise<FoundMessages> {
  const call = reading(path`/projects/${projectId}/messages/search`, { signal });
  return await transport.json<FoundMessages>({ ...call, query: { ...query } });
}
