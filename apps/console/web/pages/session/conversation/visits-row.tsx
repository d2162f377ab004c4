import type { TimelineItem } from '@session/client';
import { ArrowLeftRight, ChevronRight } from 'lucide-react';
import { EventRow } from './event-row.tsx';
import { visitsText } from './fold-visits.ts';
import { RowTime } from './row-time.tsx';

interface VisitsRowProps {
  readonly visits: readonly TimelineItem[];
  readonly isFirst: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

export function VisitsRow({ visits, isFirst, isOpen, onToggle }: VisitsRowProps) {
  return (
    <div className={isFirst ? 'pt-3' : 'pt-1'}>
      <div className="grid gap-x-4 px-4 sm:grid-cols-[68px_minmax(0,1fr)] sm:px-6">
        <div className="hidden pt-0.5 sm:block">
          <RowTime timestamp={visits[0]?.timestamp ?? null} />
        </div>
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={onToggle}
          className="-mx-1 flex min-h-6 min-w-0 max-w-180 cursor-pointer items-start gap-2 justify-self-start rounded-control px-1 py-0.5 text-start text-control text-ink-2 transition-colors hover:bg-ink/6 hover:text-ink"
        >
          <ArrowLeftRight aria-hidden size={14} className="mt-0.75 shrink-0 text-ink-3" />
          <span dir="auto" className="min-w-0 wrap-anywhere">
            {visitsText(visits)}
          </span>
          <span className="inline-flex shrink-0 items-center text-ink-3">
            {visits.length} events
            <ChevronRight
              aria-hidden
              size={14}
              className={isOpen ? 'rotate-90 transition-transform' : 'transition-transform'}
            />
          </span>
        </button>
      </div>
      {isOpen && visits.map((visit) => <EventRow key={visit.key} item={visit} isFirst={false} />)}
    </div>
  );
}
