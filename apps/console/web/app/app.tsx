import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { type ConsoleService, ServiceProvider } from '../service/service.ts';
import { focusPages } from './page-focus.ts';
import { createAppRouter } from './router.tsx';

const Toaster = lazy(async () => ({ default: (await import('../ui/toaster.tsx')).Toaster }));

export function App({ service }: { readonly service: ConsoleService }) {
  const [router] = useState(() => createAppRouter(service));
  // A user who signs out in one tab is led to the form in all of them.
  useEffect(() => {
    const { unsubscribe } = service.signIn.changes.subscribe(() => void router.invalidate());
    return unsubscribe;
  }, [service, router]);
  useEffect(() => focusPages(router), [router]);
  return (
    <ServiceProvider value={service}>
      <QueryClientProvider client={service.queries}>
        <RouterProvider router={router} />
        <Suspense fallback={null}>
          <Toaster />
        </Suspense>
      </QueryClientProvider>
    </ServiceProvider>
  );
}
