import type { ReactNode } from 'react';

export function Page({ children }: { readonly children: ReactNode }) {
  return (
    <div className="mx-auto grid w-full max-w-240 grid-cols-[minmax(0,1fr)] gap-6 px-4 py-6 sm:px-8 md:py-8">
      {children}
    </div>
  );
}
