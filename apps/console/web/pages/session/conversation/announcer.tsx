import type { TimelineItem } from '@session/client';
import { useEffect, useRef, useState } from 'react';
import { isEvent, nameOf, voiceOf } from './message-facts.ts';

/** Texts that were just said are at the end of the list. */
const LAST_ITEMS = 10;
const MAX_LENGTH = 500;

interface AnnouncerProps {
  readonly items: readonly TimelineItem[];
  readonly isAtEnd: boolean;
  readonly selfId: string | undefined;
}

/** Announces finished messages of others to screen readers while the reader is at the end of the list. Invisible. */
export function Announcer({ items, isAtEnd, selfId }: AnnouncerProps) {
  const [text, setText] = useState('');
  const known = useRef<ReadonlySet<string>>(undefined);
  useEffect(() => {
    const last = items.slice(-LAST_ITEMS).filter(isFinal);
    const isFirstLook = known.current === undefined;
    const fresh = last.filter(({ key }) => !known.current?.has(key));
    known.current = new Set(last.map(({ key }) => key));
    if (isFirstLook || !isAtEnd) return;
    const spoken = fresh.filter((item) => voiceOf(item, selfId) !== 'self').map(sentenceOf);
    if (spoken.length > 0) setText(spoken.join('\n'));
  }, [items, isAtEnd, selfId]);
  return (
    <div aria-live="polite" className="sr-only">
      {text}
    </div>
  );
}

function isFinal(item: TimelineItem): boolean {
  return !isEvent(item) && (item.state === 'complete' || item.state === 'unconfirmed');
}

function sentenceOf(item: TimelineItem): string {
  return `${nameOf(item)}: ${item.content.slice(0, MAX_LENGTH)}`;
}
