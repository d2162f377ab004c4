import type { ReactNode } from 'react';
import { OpeningTape } from './opening-tape.tsx';

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
