import type { ReactNode } from 'react';

interface MarkProps {
  readonly children: ReactNode;
}

export function Quote({ children }: MarkProps) {
  return (
    <blockquote className="flex flex-col gap-2 border-line border-s-2 ps-3 text-ink-2">
      {children}
    </blockquote>
  );
}

export function InlineCode({ children }: MarkProps) {
  return <code className="rounded-control bg-sunken px-1 font-mono text-control">{children}</code>;
}

/** Strong text, and also headings, because a message must not add headings to the page's outline. */
export function Strong({ children }: MarkProps) {
  return <strong className="font-strong">{children}</strong>;
}

interface SafeLinkProps extends MarkProps {
  readonly href: string;
  readonly raw: string;
}

export function SafeLink({ href, raw, children }: SafeLinkProps) {
  const safe = safeHref(href);
  if (!safe) return raw;
  return (
    <a
      href={safe}
      target="_blank"
      rel="noopener noreferrer"
      className="text-iris underline underline-offset-2"
    >
      {children}
    </a>
  );
}

interface ListProps {
  readonly start: number | null;
  readonly children: ReactNode;
}

export function List({ start, children }: ListProps) {
  if (start === null) return <ul className="list-disc ps-5">{children}</ul>;
  return (
    <ol className="list-decimal ps-6" start={start}>
      {children}
    </ol>
  );
}

const SAFE = /^(?:https?:\/\/|mailto:)/i;

/** Returns the address of a link that may be followed; undefined for `javascript:`, `data:`, relative addresses and the like. */
function safeHref(href: string): string | undefined {
  return SAFE.test(href) && URL.canParse(href) ? href : undefined;
}
