import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

interface DimmedProps {
  readonly isDimmed: boolean;
  readonly children: ReactNode;
}

export function Dimmed({ isDimmed, children }: DimmedProps) {
  return (
    <div
      aria-busy={isDimmed || undefined}
      className={classNames(
        'grid gap-3 transition-opacity',
        // An answer that comes soon changes the list without a flicker.
        isDimmed && 'opacity-60 delay-150',
      )}
    >
      {children}
    </div>
  );
}
