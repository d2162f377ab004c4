import type { ReactNode } from 'react';

interface SectionProps {
  readonly id: string;
  readonly title: string;
  readonly description?: string;
  readonly children: ReactNode;
}

export function Section({ id, title, description, children }: SectionProps) {
  const heading = (
    <h2 id={id} className="font-strong text-body">
      {title}
    </h2>
  );
  return (
    <section aria-labelledby={id} className="grid gap-3">
      {description === undefined ? (
        heading
      ) : (
        <div className="grid gap-1">
          {heading}
          <p className="text-control text-ink-2">{description}</p>
        </div>
      )}
      {children}
    </section>
  );
}
