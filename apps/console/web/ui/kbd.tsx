import { classNames } from './class-names.ts';

interface KbdProps {
  /** Keys pressed together are joined by `+`. */
  readonly children: string;
  readonly isInverted?: boolean;
}

export function Kbd({ children, isInverted = false }: KbdProps) {
  return (
    <kbd className="inline-flex gap-0.5">
      {children.split('+').map((key) => (
        <span
          key={key}
          className={classNames(
            'inline-flex h-5 min-w-5 items-center justify-center rounded-control border px-1 font-medium font-sans text-label',
            isInverted ? 'border-paper/30 text-paper' : 'border-line bg-surface text-ink-2',
          )}
        >
          {key}
        </span>
      ))}
    </kbd>
  );
}
