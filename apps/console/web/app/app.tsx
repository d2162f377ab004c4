import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useState } from 'react';
import { type Service, ServiceProvider } from '../service/service.ts';
import { createAppRouter } from './router.tsx';

/** The whole console. */
export function App({ service }: { readonly service: Service }) {
  const [router] = useState(() => createAppRouter(service));
  return (
    <ServiceProvider value={service}>
      <QueryClientProvider client={service.queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </ServiceProvider>
  );
}
