import type { ReactNode } from 'react';

interface LoadingRegionProps {
  readonly label: string;
  readonly children: ReactNode;
}

/** Skeletons with a word for assistive technology. They appear after 150 ms, so that faster answers do not flicker. */
export function LoadingRegion({ label, children }: LoadingRegionProps) {
  return (
    <div className="animate-appear-late">
      <output className="sr-only">Loading: {label}</output>
      <div aria-busy="true">{children}</div>
    </div>
  );
}
