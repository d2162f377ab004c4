import type { Conversation, TimelineItem } from '@session/client';
import { useEffect, useState } from 'react';
import { KeptWords, type UnsentMessage } from './kept-words.ts';

export function useKeptWords(
  conversation: Conversation,
  userId: string,
  sessionId: string,
): KeptWords {
  const [kept] = useState(() => new KeptWords(sessionStorage, userId, sessionId));
  useEffect(() => {
    const { timeline } = conversation;
    let last: readonly TimelineItem[] | undefined;
    const lookAt = () => {
      const { items } = timeline.getSnapshot();
      if (items === last) return;
      last = items;
      const known = new Set(items.map(({ id }) => id));
      const earlier = kept.unsent.filter(({ id }) => !known.has(id));
      const next = [
        ...earlier,
        ...items.filter(isUnsent).map(({ id, content }) => ({ id, content })),
      ];
      if (idsOf(next) !== idsOf(kept.unsent)) kept.keepUnsent(next);
    };
    lookAt();
    return timeline.subscribe(lookAt);
  }, [conversation, kept]);
  return kept;
}

/** Our own words that the history does not have: each client shows only its own as `sending` or `failed`. */
function isUnsent({ state }: TimelineItem): boolean {
  return state === 'sending' || state === 'failed';
}

function idsOf(messages: readonly UnsentMessage[]): string {
  return messages.map(({ id }) => id).join(' ');
}
