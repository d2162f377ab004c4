import { dayText } from './day-text.ts';

/** The date above the first message of a day. */
export function DayDivider({ at }: { readonly at: string }) {
  return (
    <div className="flex items-center gap-3 px-4 pt-5 sm:px-6">
      <span aria-hidden className="h-px flex-1 bg-line" />
      <span className="font-medium text-ink-3 text-label">{dayText(at)}</span>
      <span aria-hidden className="h-px flex-1 bg-line" />
    </div>
  );
}
