import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

const TONES = {
  plain: 'border-line text-ink-2',
  iris: 'border-transparent bg-iris-soft text-iris',
  warning: 'border-transparent bg-gap-soft text-gap',
  ok: 'border-line text-ok',
} as const;

interface BadgeProps {
  readonly tone?: keyof typeof TONES;
  readonly children: ReactNode;
}

export function Badge({ tone = 'plain', children }: BadgeProps) {
  return (
    <span
      className={classNames(
        'inline-flex h-5 max-w-full items-center truncate rounded-full border px-2 font-medium text-label',
        TONES[tone],
      )}
    >
      {children}
    </span>
  );
}
