import { memo } from 'react';
import type { TapeGap } from '../../../ui/tape-geometry.ts';
import { gapText } from '../../../ui/tape-texts.ts';
import { clockText } from '../../../ui/time-text.ts';

/** A gap in the recording. The hatching means "not recorded" and nothing else. */
export const GapRow = memo(({ gap }: { readonly gap: TapeGap }) => (
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
