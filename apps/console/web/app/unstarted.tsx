import { ErrorNotice } from '../ui/error-notice.tsx';

export function Unstarted({ error }: { readonly error: unknown }) {
  return (
    <main className="mx-auto max-w-140 p-6">
      <h1 className="mb-4 font-strong text-head">The console could not start</h1>
      <ErrorNotice error={error} onRetry={() => location.reload()} />
    </main>
  );
}
