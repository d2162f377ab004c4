import type { TimelineItem } from '@session/client';

const MAX_LENGTH = 100;

interface UnreadStatusProps {
  readonly items: readonly TimelineItem[];
  readonly unread: ReadonlyMap<string, string>;
}

/** Speaks what stands under the newest text that no agent has read. Screen readers need it there before its words. */
export function UnreadStatus({ items, unread }: UnreadStatusProps) {
  const newest = unread.size === 0 ? undefined : items.findLast(({ key }) => unread.has(key));
  return (
    <output className="sr-only">
      {newest && `“${newest.content.slice(0, MAX_LENGTH)}”: ${unread.get(newest.key)}`}
    </output>
  );
}
