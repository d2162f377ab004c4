import type { Message } from '../shapes.ts';
import type { HistoryPage } from '../timeline/asks.ts';
import { compareTimes } from '../timeline/stored-row.ts';
import type { ConversationParts } from './parts.ts';

const PAGE_ROWS = 100;
/** Fewer than a page, so that the page before the last of these rows reaches back to their start. */
const EDGE_ROWS = 50;

export async function readPage(parts: ConversationParts, cursor?: string): Promise<HistoryPage> {
  const { api, sessionId, signal } = parts;
  return await api.messages.list(sessionId, { limit: PAGE_ROWS, cursor, signal });
}

async function findRowAfter(parts: ConversationParts, time: string): Promise<Message | undefined> {
  const { api, sessionId, signal } = parts;
  for (let since = time; ; ) {
    const query = { since, limit: EDGE_ROWS, signal };
    const { items, nextSince, hasMore } = await api.messages.latest(sessionId, query);
    // A row from before the time is listed too, if it was completed after it.
    const after = items.filter(({ timestamp }) => timestamp > time);
    const newest = after.toSorted((a, b) => compareTimes(a.timestamp, b.timestamp)).at(-1);
    if (newest || !hasMore) return newest;
    since = nextSince;
  }
}

/**
 * Reads a row soon after a time, and the pages before it back to the time; undefined when there is no such row. Several
 * pages are needed where rows were completed long after their time, as `latest` does not list them there.
 */
export async function readAfter(
  parts: ConversationParts,
  time: string,
): Promise<{ readonly rows: readonly Message[]; readonly hasOlder: boolean } | undefined> {
  const edge = await findRowAfter(parts, time);
  if (!edge) return undefined;
  const rows = [edge];
  for (let last = edge; last.timestamp > time; last = rows.at(-1) ?? edge) {
    const { items, nextCursor } = await readPage(parts, last.id);
    rows.push(...items);
    if (nextCursor === null) return { rows, hasOlder: false };
  }
  return { rows, hasOlder: true };
}
