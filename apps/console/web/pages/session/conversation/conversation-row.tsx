import type { TimelineItem } from '@session/client';
import { Eraser } from 'lucide-react';
import { memo } from 'react';
import { classNames } from '../../../ui/class-names.ts';
import type { TapeGap } from '../../../ui/tape-geometry.ts';
import { gapText } from '../../../ui/tape-texts.ts';
import { clockText } from '../../../ui/time-text.ts';
import { dayText } from './day-text.ts';
import { EventRow } from './event-row.tsx';
import type { Row } from './fold-visits.ts';
import { gapOf, isErased, isEvent, nameOf, voiceOf } from './message-facts.ts';
import { MessageRow } from './message-row.tsx';
import { RowTime } from './row-time.tsx';
import { ToolCallRow } from './tool-call-row.tsx';
import { toolCallOf } from './tool-calls.ts';
import { VisitsRow } from './visits-row.tsx';

interface ConversationRowProps {
  readonly row: Row;
  readonly index: number;
  readonly isFirst: boolean;
  readonly isNewDay: boolean;
  readonly isTarget: boolean;
  readonly isOpen: boolean;
  readonly onToggle: (row: Row) => void;
  readonly selfId: string | undefined;
  readonly unread: string | undefined;
  readonly onRetry: (id: string) => void;
  readonly measure: (element: HTMLElement | null) => void;
}

export const ConversationRow = memo((props: ConversationRowProps) => {
  const { row, index, isNewDay, isTarget, measure } = props;
  const { item } = row;
  return (
    <article
      ref={measure}
      data-index={index}
      data-key={row.key}
      data-state={item.state}
      tabIndex={-1}
      aria-label={labelOf(row)}
      aria-current={isTarget || undefined}
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

function Content(props: ConversationRowProps) {
  const { row, isFirst, isOpen, onToggle, selfId, unread, onRetry } = props;
  const { item, visits, started } = row;
  const toggle = () => onToggle(row);
  if (visits) return <VisitsRow {...{ visits, isFirst, isOpen }} onToggle={toggle} />;
  if (isErased(item)) return <ErasedRow item={item} />;
  const call = toolCallOf(item, started);
  if (call) return <ToolCallRow {...{ item, call, isFirst, isOpen }} onToggle={toggle} />;
  const gap = gapOf(item);
  if (gap) return <GapRow gap={gap} />;
  if (isEvent(item)) return <EventRow {...{ item, isFirst }} />;
  return <MessageRow {...{ item, isFirst, unread, onRetry }} voice={voiceOf(item, selfId)} />;
}

function labelOf({ item, visits }: Row): string {
  const time = item.timestamp === null ? 'not stored yet' : clockText(Date.parse(item.timestamp));
  if (isErased(item) && !visits) return `Erased, ${time}`;
  if (visits) return `${visits.length} joins and leaves, ${time}`;
  return isEvent(item) ? `Event, ${time}` : `${nameOf(item)}, ${time}`;
}

function DayDivider({ at }: { readonly at: string }) {
  return (
    <div className="flex items-center gap-3 px-4 pt-5 sm:px-6">
      <span aria-hidden className="h-px flex-1 bg-line" />
      <span className="font-medium text-ink-3 text-label">{dayText(at)}</span>
      <span aria-hidden className="h-px flex-1 bg-line" />
    </div>
  );
}

const ErasedRow = memo(({ item }: { readonly item: TimelineItem }) => (
  <div className="grid gap-x-4 px-4 pt-1.5 sm:grid-cols-[68px_minmax(0,1fr)] sm:px-6">
    <div className="hidden sm:block">
      <RowTime timestamp={item.timestamp} />
    </div>
    <p className="flex items-center gap-2 text-control text-ink-3">
      <Eraser aria-hidden size={14} className="shrink-0" />
      Erased
    </p>
  </div>
));
ErasedRow.displayName = 'ErasedRow';

/** A gap in the recording. Hatching means "not recorded" and nothing else. */
const GapRow = memo(({ gap }: { readonly gap: TapeGap }) => (
  <div className="flex items-center gap-3 px-4 pt-4 pb-1 sm:px-6">
    <span aria-hidden className="hatched h-2.5 min-w-4 flex-1 rounded-full" />
    <p className="text-center text-control text-gap">
      <span className="font-medium">{gapText(gap)}</span>{' '}
      <span className="block font-mono text-label tabular-nums">
        {clockText(Date.parse(gap.from))} – {clockText(Date.parse(gap.to))}
      </span>
    </p>
    <span aria-hidden className="hatched h-2.5 min-w-4 flex-1 rounded-full" />
  </div>
));
GapRow.displayName = 'GapRow';
