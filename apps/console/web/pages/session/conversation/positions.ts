import type { TimelineItem } from '@session/client';
import type { TapeGap } from '../../../ui/tape-geometry.ts';
import { gapOf } from './message-facts.ts';

/**
 * Returns the index of the gap that ends at `time`, or else of the first stored item that is not before `time`, or else of the
 * last item.
 */
export function indexAt(items: readonly TimelineItem[], time: string): number {
  const at = Date.parse(time);
  const gap = items.findIndex((item) => gapOf(item)?.to === time);
  if (gap >= 0) return gap;
  const index = items.findIndex(
    ({ timestamp }) => timestamp !== null && Date.parse(timestamp) >= at,
  );
  return index < 0 ? items.length - 1 : index;
}

/**
 * Returns whether a list has every message around `time`, because it begins before that time, or with the first message of the
 * session.
 */
export function holds(items: readonly TimelineItem[], hasOlder: boolean, time: string): boolean {
  const oldest = items.find(({ timestamp }) => timestamp !== null)?.timestamp;
  if (!oldest) return !hasOlder;
  return !hasOlder || Date.parse(oldest) < Date.parse(time);
}

export function nextGap(gaps: readonly TapeGap[], time: string, step: -1 | 1): TapeGap | undefined {
  const at = Date.parse(time);
  const sorted = gaps.toSorted((a, b) => Date.parse(a.to) - Date.parse(b.to));
  return step === 1
    ? sorted.find(({ to }) => Date.parse(to) > at)
    : sorted.findLast(({ to }) => Date.parse(to) < at);
}
