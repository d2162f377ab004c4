import type { Session } from '@session/contract';
import { ListFilter } from 'lucide-react';
import { type ComponentProps, useId, useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Select, TextField } from '../../ui/field.tsx';
import { type FilterText, isPair, type SessionFilters } from './session-filters.ts';
import { useLateText } from './use-late-text.ts';

interface SessionSearchProps {
  readonly filters: SessionFilters;
  readonly onChange: (changed: Partial<Record<keyof SessionFilters, string | undefined>>) => void;
  readonly onClear: () => void;
}

export function SessionSearch({ filters, onChange, onClear }: SessionSearchProps) {
  const id = useId();
  const { q: _name, status, ...more } = filters;
  const count = Object.keys(more).length;
  const [isOpen, setOpen] = useState(count > 0);
  return (
    <search aria-label="Sessions" className="grid gap-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <FilterField
          name="q"
          label="Search by name"
          isLabelHidden
          type="search"
          placeholder="Search by name"
          maxLength={200}
          className="min-w-40 flex-1 sm:max-w-80"
          {...{ filters, onChange }}
        />
        <StatusFilter status={status} onChange={(chosen) => onChange({ status: chosen })} />
        <div className="flex gap-1 sm:ml-auto">
          {Object.keys(filters).length > 0 ? (
            <Button variant="quiet" onClick={onClear}>
              Clear
            </Button>
          ) : null}
          <Button
            aria-expanded={isOpen}
            aria-controls={id}
            icon={<ListFilter aria-hidden size={16} />}
            onClick={() => setOpen(!isOpen)}
          >
            Filters
            {count > 0 ? <Badge tone="iris">{count}</Badge> : null}
          </Button>
        </div>
      </div>
      <div id={id} hidden={!isOpen}>
        {isOpen ? <MoreFilters {...{ filters, onChange }} /> : null}
      </div>
    </search>
  );
}

type ChangedFilters = Pick<SessionSearchProps, 'filters' | 'onChange'>;

function MoreFilters({ filters, onChange }: ChangedFilters) {
  const shared = { filters, onChange };
  return (
    <div className="grid gap-4 rounded-card border border-line bg-surface p-4 sm:grid-cols-2 lg:grid-cols-3">
      <FilterField {...shared} name="externalId" label="External id" maxLength={255} />
      <FilterField {...shared} name="participant" label="End user's id" maxLength={255} />
      <FilterField
        {...shared}
        name="metadata"
        label="Metadata"
        placeholder="key=value"
        maxLength={541}
        isWhole={isPair}
      />
      <FilterField {...shared} name="from" label="Created from" type="date" max="9999-12-30" />
      <FilterField {...shared} name="until" label="Created until" type="date" max="9999-12-30" />
      <Select
        label="Order"
        value={filters.order ?? ''}
        onChange={({ target: { value } }) => onChange({ order: value || undefined })}
      >
        <option value="">Newest first</option>
        <option value="asc">Oldest first</option>
      </Select>
    </div>
  );
}

type FilterFieldProps = ChangedFilters &
  ComponentProps<typeof TextField> & {
    readonly name: FilterText;
    /** Whether a text can be searched. If not, the search waits until the user types on. */
    readonly isWhole?: (text: string) => boolean;
  };

function FilterField({ name, filters, onChange, isWhole, ...field }: FilterFieldProps) {
  const value = filters[name] ?? '';
  const change = (text: string) => onChange({ [name]: text || undefined });
  const [text, setText] = useLateText(value, change, isWhole);
  return (
    <TextField
      autoComplete="off"
      spellCheck={false}
      {...field}
      name={name}
      value={text}
      onChange={({ target }) => setText(target.value)}
    />
  );
}

const CHOICES = [
  { label: 'All', status: undefined },
  { label: 'Open', status: 'ACTIVE' },
  { label: 'Closed', status: 'CLOSED' },
] as const;

interface StatusFilterProps {
  readonly status: Session['status'] | undefined;
  readonly onChange: (status: Session['status'] | undefined) => void;
}

function StatusFilter({ status, onChange }: StatusFilterProps) {
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
