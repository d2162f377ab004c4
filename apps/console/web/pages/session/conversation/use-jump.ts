import type { Conversation } from '@session/client';
import { useEffect, useState } from 'react';
import { holds, indexAt } from './positions.ts';

/** What a link, the tape or a key leads to. */
export interface Jump {
  readonly status: 'none' | 'reading' | 'there' | 'failed';
  /** The key of the item. */
  readonly key: string | null;
  readonly error: unknown;
}

const NONE: Jump = { status: 'none', key: null, error: null };

/**
 * Opens the part of the history around `at`, and returns the item there: again with another `count`. Without `at` it returns
 * to the live end.
 */
export function useJump(conversation: Conversation, at: string | undefined, _count: number): Jump {
  const [jump, setJump] = useState<Jump>(NONE);
  useEffect(() => {
    let isCurrent = true;
    const set = (next: Jump) => isCurrent && setJump(next);
    if (at === undefined || Number.isNaN(Date.parse(at))) {
      conversation.closeDetached();
      set(NONE);
      return undefined;
    }
    set({ ...NONE, status: 'reading' });
    find(conversation, at).then(
      (key) => set({ status: 'there', key, error: null }),
      (error: unknown) => set({ status: 'failed', key: null, error }),
    );
    return () => {
      isCurrent = false;
    };
  }, [conversation, at]);
  return jump;
}

async function find(conversation: Conversation, at: string): Promise<string | null> {
  const { timeline } = conversation;
  await conversation.open();
  const live = timeline.getSnapshot();
  if (holds(live.items, live.hasOlder, at)) conversation.closeDetached();
  else await conversation.at(at);
  const { items } = timeline.getDetachedSnapshot() ?? timeline.getSnapshot();
  return items[indexAt(items, at)]?.key ?? null;
}
