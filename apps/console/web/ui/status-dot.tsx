import { classNames } from './class-names.ts';

const TONES = {
  /** Under way and well. */
  live: 'bg-ok forced-colors:bg-[CanvasText]',
  /** On the way there. */
  starting: 'border-2 border-iris',
  /** Needs a look. */
  warning: 'rotate-45 rounded-none bg-gap forced-colors:bg-[CanvasText]',
  /** Over. */
  off: 'border border-ink-3',
} as const;

interface StatusDotProps {
  readonly tone: keyof typeof TONES;
  /** The word for assistive technology, where none stands beside the dot. */
  readonly label?: string;
}

/** A dot whose form and colour say a state. A word stands beside it, or in `label`. */
export function StatusDot({ tone, label }: StatusDotProps) {
  return (
    <span className="inline-flex size-2 shrink-0">
      <span aria-hidden className={classNames('size-2 rounded-full', TONES[tone])} />
      {label ? <span className="sr-only">{label}</span> : null}
    </span>
  );
}
