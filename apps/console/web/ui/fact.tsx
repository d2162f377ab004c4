import type { ReactNode } from 'react';

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-3">{name}</dt>
      <dd className="min-w-0 text-ink wrap-anywhere">{children}</dd>
    </>
  );
}
