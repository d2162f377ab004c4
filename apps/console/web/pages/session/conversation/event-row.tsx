import type { TimelineItem } from '@session/client';
import {
  Activity,
  CircleDashed,
  FileText,
  Flag,
  Headset,
  ListChecks,
  LogIn,
  LogOut,
  type LucideIcon,
} from 'lucide-react';
import { memo } from 'react';
import { Badge } from '../../../ui/badge.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { eventSender, eventText, unknownKindOf } from './message-facts.ts';
import { RowTime } from './row-time.tsx';

const ICONS: ReadonlyMap<string, LucideIcon> = new Map([
  ['participant_joined', LogIn],
  ['participant_left', LogOut],
  ['complete_todo_list', ListChecks],
  ['plan_deliverable_update', FileText],
  ['state_change_notification', Activity],
  ['conversation_ended', Flag],
  ['handover', Headset],
]);

interface EventRowProps {
  readonly item: TimelineItem;
  readonly isFirst: boolean;
}

export const EventRow = memo(({ item, isFirst }: EventRowProps) => {
  const Icon = ICONS.get(item.kind) ?? CircleDashed;
  const kind = unknownKindOf(item);
  const sender = eventSender(item);
  return (
    <div
      className={classNames(
        'grid gap-x-4 px-4 sm:grid-cols-[68px_minmax(0,1fr)] sm:px-6',
        isFirst ? 'pt-3' : 'pt-1',
      )}
    >
      <div className="hidden sm:block">
        <RowTime timestamp={item.timestamp} />
      </div>
      <p className="flex min-w-0 max-w-180 items-start gap-x-2 gap-y-1 max-sm:flex-wrap text-control text-ink-2">
        <Icon aria-hidden size={14} className="mt-0.75 shrink-0 text-ink-3" />
        <span dir="auto" className="min-w-0 max-w-[calc(100%-96px)] wrap-anywhere sm:max-w-full">
          {sender && <span className="font-medium">{sender} </span>}
          {eventText(item)}
        </span>
        {kind && <Badge>{kind}</Badge>}
        <span className="ms-auto sm:hidden">
          <RowTime timestamp={item.timestamp} />
        </span>
      </p>
    </div>
  );
});
EventRow.displayName = 'EventRow';
