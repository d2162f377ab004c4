import type { LedSpan, LostMessages, LostSpan, QueuedMessage } from '../message-path.ts';
import { isLost, lostMessage } from './queued-message.ts';

/**
 * When a limit is exceeded, this share of it is freed at once, because freeing space for each message would cost too
 * much.
 */
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
  const { sessionId, count, led, ...span } = isLost(queued) ? queued : lostMessage(queued);
  const wholeLed = led ? unionOfLed(lost?.led, led) : lost?.led;
  return {
    kind: 'loss',
    sessionId,
    ...union(lost, span),
    count: (lost?.count ?? 0) + count,
    ...(wholeLed && { led: wholeLed }),
  };
}

function unionOfLed(former: LedSpan | undefined, led: LedSpan): LedSpan {
  const newest = former && former.until > led.until ? former : led;
  return { ...union(former, led), intervalId: newest.intervalId };
}

function union(former: LostSpan | undefined, { receivedAt, until }: LostSpan): LostSpan {
  return {
    receivedAt: Math.min(former?.receivedAt ?? receivedAt, receivedAt),
    until: Math.max(former?.until ?? until, until),
  };
}
