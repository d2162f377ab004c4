import type { TimelineItem } from '@session/client';
import { memo } from 'react';
import { classNames } from '../../../ui/class-names.ts';
import { clockText } from '../../../ui/time-text.ts';
import { DayDivider } from './day-divider.tsx';
import { EventRow } from './event-row.tsx';
import { GapRow } from './gap-row.tsx';
import { gapOf, isEvent, nameOf, voiceOf } from './message-facts.ts';
import { MessageRow } from './message-row.tsx';

interface ConversationRowProps {
  readonly item: TimelineItem;
  readonly index: number;
  readonly isFirst: boolean;
  readonly isNewDay: boolean;
  /** Whether a link, the tape or a key led here. */
  readonly isTarget: boolean;
  readonly selfId: string | undefined;
  readonly onRetry: (id: string) => void;
  readonly measure: (element: HTMLElement | null) => void;
}

/** One item of the list. It takes the focus by J and K. */
export const ConversationRow = memo((props: ConversationRowProps) => {
  const { item, index, isNewDay, isTarget, measure } = props;
  return (
    <article
      ref={measure}
      data-index={index}
      data-key={item.key}
      data-state={item.state}
      tabIndex={-1}
      aria-label={labelOf(item)}
      className={classNames(
        'absolute top-0 left-0 w-full -outline-offset-2 transition-colors',
        isTarget && 'bg-iris-soft/60',
      )}
    >
      {isNewDay && item.timestamp !== null && <DayDivider at={item.timestamp} />}
      <Content {...props} />
    </article>
  );
});
ConversationRow.displayName = 'ConversationRow';

function Content({ item, isFirst, selfId, onRetry }: ConversationRowProps) {
  const gap = gapOf(item);
  if (gap) return <GapRow gap={gap} />;
  if (isEvent(item)) return <EventRow item={item} />;
  return <MessageRow {...{ item, isFirst, onRetry }} voice={voiceOf(item, selfId)} />;
}

function labelOf(item: TimelineItem): string {
  const time = item.timestamp === null ? 'not stored yet' : clockText(Date.parse(item.timestamp));
  return isEvent(item) ? `Event, ${time}` : `${nameOf(item)}, ${time}`;
}
