import { classNames } from './class-names.ts';

const TONES = {
  live: 'bg-ok forced-colors:bg-[CanvasText]',
  starting: 'border-2 border-iris',
  warning: 'rotate-45 rounded-none bg-gap forced-colors:bg-[CanvasText]',
  off: 'border border-ink-3',
} as const;

interface StatusDotProps {
  readonly tone: keyof typeof TONES;
  readonly label?: string;
}

export function StatusDot({ tone, label }: StatusDotProps) {
  return (
    <span className="inline-flex size-2 shrink-0">
      <span aria-hidden className={classNames('size-2 rounded-full', TONES[tone])} />
      {label ? <span className="sr-only">{label}</span> : null}
    </span>
  );
}
