import type { LostMessages, QueuedMessage } from '../message-path.ts';
import { isLost } from './queued-message.ts';

/** When a limit is exceeded, this share of it is freed at once: freeing room for each message would cost too much. */
export const SHED_SHARE = 0.1;

/** `queued` is undefined when the line in the spool cannot be read. */
export interface SizedMessage {
  readonly queued: QueuedMessage | undefined;
  readonly sizeBytes: number;
}

interface Shed<Sized extends SizedMessage> {
  readonly kept: Sized[];
  readonly count: number;
  readonly freedBytes: number;
}

/** Drops the oldest messages of a session until `bytes` are free. One mark, sized by `sizeOf`, takes their place. */
export function shedOldest<Sized extends SizedMessage>(
  sized: readonly Sized[],
  { sessionId, bytes }: { sessionId: string; bytes: number },
  sizeOf: (lost: LostMessages) => Sized,
): Shed<Sized> {
  const kept: Sized[] = [];
  let markIndex = 0;
  let lost: LostMessages | undefined;
  let count = 0;
  let freedBytes = 0;
  for (const one of sized) {
    const { queued, sizeBytes } = one;
    if (queued?.sessionId !== sessionId || freedBytes >= bytes) kept.push(one);
    else {
      if (!lost) markIndex = kept.length;
      lost = widened(lost, queued);
      if (isLost(queued)) continue;
      count += 1;
      freedBytes += sizeBytes;
    }
  }
  if (lost) kept.splice(markIndex, 0, sizeOf(lost));
  return { kept, count, freedBytes };
}

export function greatestKey(sizes: ReadonlyMap<string, number>): string | undefined {
  let greatest: string | undefined;
  for (const [key, size] of sizes) {
    if (greatest === undefined || size > (sizes.get(greatest) ?? 0)) greatest = key;
  }
  return greatest;
}

function widened(lost: LostMessages | undefined, queued: QueuedMessage): LostMessages {
  const { sessionId, receivedAt } = queued;
  const until = isLost(queued) ? queued.until : receivedAt;
  const count = isLost(queued) ? queued.count : 1;
  return {
    kind: 'loss',
    sessionId,
    receivedAt: Math.min(lost?.receivedAt ?? receivedAt, receivedAt),
    until: Math.max(lost?.until ?? until, until),
    count: (lost?.count ?? 0) + count,
  };
}
