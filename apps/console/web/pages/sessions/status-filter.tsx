import type { Session } from '@session/contract';
import { classNames } from '../../ui/class-names.ts';

const CHOICES = [
  { label: 'All', status: undefined },
  { label: 'Open', status: 'ACTIVE' },
  { label: 'Closed', status: 'CLOSED' },
] as const;

interface StatusFilterProps {
  readonly status: Session['status'] | undefined;
  readonly onChange: (status: Session['status'] | undefined) => void;
}

export function StatusFilter({ status, onChange }: StatusFilterProps) {
  return (
    <fieldset className="flex gap-1">
      <legend className="sr-only">Which sessions</legend>
      {CHOICES.map((choice) => (
        <label
          key={choice.label}
          className={classNames(
            'flex h-7 cursor-pointer items-center rounded-full px-3 font-medium text-control transition-colors has-focus-visible:outline-2 has-focus-visible:outline-iris has-focus-visible:outline-offset-2',
            choice.status === status
              ? 'bg-ink/8 text-ink forced-colors:bg-[Highlight] forced-colors:text-[HighlightText]'
              : 'text-ink-3 hover:bg-ink/5 hover:text-ink',
          )}
        >
          <input
            type="radio"
            name="status"
            className="sr-only"
            checked={choice.status === status}
            onChange={() => onChange(choice.status)}
          />
          {choice.label}
        </label>
      ))}
    </fieldset>
  );
}
