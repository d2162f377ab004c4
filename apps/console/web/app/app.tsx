import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { type ConsoleService, isKeptSignedOut, ServiceProvider } from '../service/service.ts';
import { Toaster } from '../ui/toaster.tsx';
import { focusPages } from './page-focus.ts';
import { type AppRouter, createAppRouter } from './router.tsx';

export function App({ service }: { readonly service: ConsoleService }) {
  const [router] = useState(() => createAppRouter(service));
  useEffect(() => followSignIn(service, router), [service, router]);
  useEffect(() => focusPages(router), [router]);
  return (
    <ServiceProvider value={service}>
      <QueryClientProvider client={service.queries}>
        <RouterProvider router={router} />
        <Toaster />
      </QueryClientProvider>
    </ServiceProvider>
  );
}

/**
 * A user who signs out in one tab is led to the sign-in form in all tabs. A page with unsaved changes stays until these are
 * saved or discarded, unless the user signed out in this tab.
 */
function followSignIn(service: ConsoleService, router: AppRouter): () => void {
  const { signIn, unsaved } = service;
  const follow = () => {
    if (!isKeptSignedOut(service)) void router.invalidate();
  };
  const subscriptions = [
    signIn.changes.subscribe(follow),
    unsaved.subscribe(() => {
      if (!signIn.token()) follow();
    }),
  ];
  return () => {
    for (const { unsubscribe } of subscriptions) unsubscribe();
  };
}
