import type { ReactNode } from 'react';
import { GapPattern } from '../../ui/tape-strip.tsx';

interface WelcomeProps {
  readonly title: string;
  readonly children: ReactNode;
}

export function Welcome({ title, children }: WelcomeProps) {
  return (
    <main className="grid min-h-dvh grid-cols-[minmax(0,1fr)] content-center justify-items-center px-4 py-8">
      <div className="w-full max-w-104">
        <OpeningTape />
        <div className="rounded-dialog border border-line bg-surface p-6 sm:p-8">
          <h1 tabIndex={-1} className="font-strong text-head text-balance outline-none">
            {title}
          </h1>
          {children}
        </div>
      </div>
    </main>
  );
}

export function Or() {
  return (
    <div className="my-6 flex items-center gap-3 text-ink-3 text-label">
      <span className="h-px flex-1 bg-line" />
      or
      <span className="h-px flex-1 bg-line" />
    </div>
  );
}

function OpeningTape() {
  return (
    <svg aria-hidden="true" viewBox="0 0 416 40" className="mb-4 block w-full">
      <defs>
        <GapPattern id="opening-gap" />
        <clipPath id="opening-shape">
          <rect y="15" width="416" height="10" rx="5" />
        </clipPath>
      </defs>
      <g clipPath="url(#opening-shape)">
        <rect y="15" width="416" height="10" className="fill-line" />
        <rect y="15" width="212" height="10" className="fill-iris" />
        <rect x="212" y="15" width="36" height="10" fill="url(#opening-gap)" />
        <rect x="248" y="15" width="96" height="10" className="fill-iris" />
      </g>
      <rect x="344" y="15" width="4" height="10" className="fill-tally" />
      <circle cx="346" cy="20" r="12" className="animate-breathe fill-tally/15" />
    </svg>
  );
}
