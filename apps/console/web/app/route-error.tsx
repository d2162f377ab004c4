import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Page } from '../ui/page.tsx';
import { usePageTitle } from '../ui/page-title.ts';

export function RouteError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  usePageTitle('This page failed');
  const retry = () => {
    // The browser remembers that the code of a page could not be loaded. Only a reload makes it try again.
    if (error instanceof TypeError && error.message.includes('import')) location.reload();
    reset();
    void router.invalidate();
  };
  return (
    <Page>
      <h1 tabIndex={-1} className="font-strong text-head outline-none">
        This page failed
      </h1>
      <ErrorNotice error={error} onRetry={retry} />
    </Page>
  );
}
