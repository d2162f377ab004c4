import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Page } from '../ui/page.tsx';
import { usePageTitle } from '../ui/page-title.ts';

export function RouteError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  usePageTitle('This page failed');
  const retry = () => {
    // A page whose code could not be loaded stays failed: the browser remembers it, unlike after a reload.
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
