import type { Conversation } from '@session/client';
import { useEffect, useState } from 'react';
import type { Visit } from '../use-moment.ts';
import { holds, indexAt } from './positions.ts';

export interface Jump {
  readonly status: 'none' | 'reading' | 'there' | 'failed';
  readonly key: string | null;
  readonly error: unknown;
}

const NONE: Jump = { status: 'none', key: null, error: null };

/**
 * Opens the part of the history around a visited moment, and returns the item there. Without a moment, returns to the live
 * end.
 */
export function useJump(conversation: Conversation, visit: Visit): Jump {
  const [jump, setJump] = useState<Jump>(NONE);
  useEffect(() => {
    const { at } = visit;
    const ending = new AbortController();
    const { signal } = ending;
    const set = (next: Jump) => signal.aborted || setJump(next);
    if (at === undefined || Number.isNaN(Date.parse(at))) {
      conversation.closeDetached();
      set(NONE);
      return undefined;
    }
    set({ ...NONE, status: 'reading' });
    find(conversation, at, signal).then(
      (key) => set({ status: 'there', key, error: null }),
      (error: unknown) => set({ status: 'failed', key: null, error }),
    );
    return () => ending.abort();
  }, [conversation, visit]);
  return jump;
}

/** Returns the key of the item at a time. Throws when `signal` aborts before the conversation is open. */
async function find(
  conversation: Conversation,
  at: string,
  signal: AbortSignal,
): Promise<string | null> {
  const { timeline } = conversation;
  await conversation.open();
  signal.throwIfAborted();
  const live = timeline.getSnapshot();
  if (holds(live.items, live.hasOlder, at)) conversation.closeDetached();
  else await conversation.at(at);
  const { items } = timeline.getDetachedSnapshot() ?? timeline.getSnapshot();
  return items[indexAt(items, at)]?.key ?? null;
}
