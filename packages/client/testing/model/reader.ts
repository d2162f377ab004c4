import type { Timeline } from '../../src/index.ts';
import type { History } from './history.ts';

/** What reads elsewhere in the history need. */
export interface Client {
  readonly history: History;
  readonly timeline: Timeline;
}

/** Asks for the rows around the `a`th one; returns what hands the answer over. */
export function detach({ history, timeline }: Client, a: number, limit: number) {
  const asked = timeline.askDetached();
  const { rows } = history;
  const time = rows[a % Math.max(rows.length, 1)]?.timestamp;
  if (!asked || time === undefined) return undefined;
  const found = findEdge(history, new Date(Date.parse(time) - 1).toISOString(), limit);
  if (!found) return undefined;
  const page = history.page(found.id, limit);
  return () => {
    timeline.openDetached(asked, [found, ...page.items], page.nextCursor !== null);
  };
}

/** Asks for the page before or after the detached window; returns what hands the answer over. */
export function extendDetached(
  { history, timeline }: Client,
  side: 'older' | 'newer',
  limit: number,
) {
  if (side === 'older') {
    const asked = timeline.askDetachedOlder();
    if (!asked) return undefined;
    const page = history.page(asked.cursor, limit);
    return () => {
      timeline.detachedOlder(asked, page);
    };
  }
  const asked = timeline.askDetachedNewer();
  const edge = asked && findEdge(history, asked.since, limit);
  if (!asked || !edge) return undefined;
  const page = history.page(edge.id, limit + 1);
  return () => {
    timeline.detachedNewer(asked, [edge, ...page.items]);
  };
}

/** Returns the newest row that `latest` finds after a time. */
function findEdge(history: History, since: string, limit: number) {
  const { items } = history.latest(since, limit);
  const after = items.filter(({ timestamp }) => timestamp > since);
  return after.toSorted((a, b) => (a.timestamp < b.timestamp ? 1 : -1))[0];
}
