import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

interface PageProps {
  readonly width?: 'medium' | 'wide';
  readonly children: ReactNode;
}

/** The frame of a page that scrolls as a whole. */
export function Page({ width = 'medium', children }: PageProps) {
  return (
    <div
      className={classNames(
        'mx-auto grid w-full gap-6 px-4 py-6 sm:px-8 md:py-8',
        width === 'wide' ? 'max-w-320' : 'max-w-240',
      )}
    >
      {children}
    </div>
  );
}
