import type { Timeline } from '../../src/index.ts';
import type { History } from './history.ts';

export interface Client {
  readonly history: History;
  readonly timeline: Timeline;
}

/** Requests the rows around the `a`th row. Returns a function that delivers the answer. */
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

/** Requests the page before or after the detached window. Returns a function that delivers the answer. */
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
  const page = history.page(edge.id, Math.ceil(limit / 2));
  return () => {
    timeline.detachedNewer(asked, [edge, ...page.items]);
  };
}

function findEdge(history: History, since: string, limit: number) {
  const { items } = history.latest(since, limit);
  const after = items.filter(({ timestamp }) => timestamp > since);
  return after.toSorted((a, b) => (a.timestamp < b.timestamp ? 1 : -1))[0];
}
