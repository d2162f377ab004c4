import type { ReactNode } from 'react';
import { usePageTitle } from './page-title.ts';

interface PageHeaderProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly beside?: ReactNode;
  /** The buttons of the page. A menu with more actions comes last, as in the rows of a list. */
  readonly actions?: ReactNode;
}

/** Also sets the document's title. The heading takes the focus after a navigation. */
export function PageHeader({ title, description, beside, actions }: PageHeaderProps) {
  usePageTitle(title);
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div className="grid min-w-0 flex-1 basis-60 gap-1">
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          <h1 tabIndex={-1} className="font-strong text-head outline-none wrap-anywhere">
            {title}
          </h1>
          {beside}
        </div>
        {description ? <p className="max-w-180 text-ink-2">{description}</p> : null}
      </div>
      {actions ? <div className="flex flex-wrap items-center gap-2">{actions}</div> : null}
    </div>
  );
}
