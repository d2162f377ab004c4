import type { ReactNode } from 'react';
import { Page } from './page.tsx';
import { usePageTitle } from './page-title.ts';

interface MissingStateProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly action: ReactNode;
}

export function MissingState({ title, children, action }: MissingStateProps) {
  usePageTitle(title);
  return (
    <Page>
      <div className="grid max-w-140 justify-items-start gap-6">
        <BlankTape />
        <div className="grid gap-2">
          <h1 tabIndex={-1} className="font-strong text-head outline-none">
            {title}
          </h1>
          <div className="text-ink-2">{children}</div>
        </div>
        {action}
      </div>
    </Page>
  );
}

function BlankTape() {
  return (
    <svg aria-hidden="true" viewBox="0 0 320 48" className="w-full max-w-80">
      <rect x="0" y="19" width="120" height="10" rx="5" className="fill-line" />
      <path
        d="M136 24h16m12 0h16m12 0h16m12 0h16"
        className="stroke-line"
        strokeWidth="2"
        strokeLinecap="round"
      />
      <circle cx="276" cy="24" r="20" className="fill-none stroke-line" strokeWidth="2" />
      <circle cx="276" cy="24" r="5" className="fill-none stroke-line" strokeWidth="2" />
    </svg>
  );
}
