import { classNames } from '../../../ui/class-names.ts';
import { absoluteText, clockText } from '../../../ui/time-text.ts';

interface RowTimeProps {
  readonly timestamp: string | null;
  readonly isQuiet?: boolean;
}

export function RowTime({ timestamp, isQuiet = false }: RowTimeProps) {
  if (timestamp === null) return null;
  const time = Date.parse(timestamp);
  return (
    <time
      dateTime={timestamp}
      title={absoluteText(time)}
      className={classNames(
        'block font-mono text-ink-3 text-label leading-5 tabular-nums',
        isQuiet && 'opacity-0 group-focus-within/row:opacity-100 group-hover/row:opacity-100',
      )}
    >
      {clockText(time)}
    </time>
  );
}
