import { type Entry, isLoss, type Loss } from './queued-message.ts';

/** An entry where it waits; undefined when it cannot be read. */
export interface Item {
  readonly entry: Entry | undefined;
  readonly sizeBytes: number;
}

interface Shed<T extends Item> {
  readonly kept: T[];
  /** How many messages were dropped, and how large they were together. */
  readonly count: number;
  readonly freedBytes: number;
}

/**
 * Drops the oldest messages of a session among `items` until `bytes` are free or none is left. One loss stands where the
 * first of them stood, made an item by `itemOf`; an earlier loss of the session becomes part of it.
 */
export function shedOldest<T extends Item>(
  items: readonly T[],
  { sessionId, bytes }: { sessionId: string; bytes: number },
  itemOf: (loss: Loss) => T,
): Shed<T> {
  const kept: T[] = [];
  let place = 0;
  let loss: Loss | undefined;
  let count = 0;
  let freedBytes = 0;
  for (const item of items) {
    const { entry, sizeBytes } = item;
    if (entry?.sessionId !== sessionId || freedBytes >= bytes) kept.push(item);
    else {
      if (!loss) place = kept.length;
      loss = widened(loss, entry);
      if (isLoss(entry)) continue;
      count += 1;
      freedBytes += sizeBytes;
    }
  }
  if (loss) kept.splice(place, 0, itemOf(loss));
  return { kept, count, freedBytes };
}

/** Gives the key with the greatest value; undefined when there is none. */
export function greatestKey(sizes: ReadonlyMap<string, number>): string | undefined {
  let greatest: string | undefined;
  for (const [key, size] of sizes) {
    if (greatest === undefined || size > (sizes.get(greatest) ?? 0)) greatest = key;
  }
  return greatest;
}

function widened(loss: Loss | undefined, entry: Entry): Loss {
  const { sessionId, receivedAt } = entry;
  const until = isLoss(entry) ? entry.until : receivedAt;
  const count = isLoss(entry) ? entry.count : 1;
  return {
    kind: 'loss',
    sessionId,
    receivedAt: Math.min(loss?.receivedAt ?? receivedAt, receivedAt),
    until: Math.max(loss?.until ?? until, until),
    count: (loss?.count ?? 0) + count,
  };
}
