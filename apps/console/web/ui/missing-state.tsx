import type { ReactNode } from 'react';
import { BlankTape } from './blank-tape.tsx';
import { Page } from './page.tsx';
import { usePageTitle } from './page-title.ts';

interface MissingStateProps {
  /** What is not there: *There is no such session*. */
  readonly title: string;
  /** Why that may be. */
  readonly children: ReactNode;
  /** The way on. */
  readonly action: ReactNode;
}

/** A page in place of one that does not exist, or does not exist for this user. */
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
