import { Eye, EyeOff, RotateCcw, Trash2, TriangleAlert } from 'lucide-react';
import { useId, useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { CodeText } from './code-text.tsx';
import type { RowChange, VariableRow } from './env-draft.ts';
import type { KnownVariable } from './variable-catalogue.ts';
import { VariableHosts } from './variable-hosts.tsx';

interface VariableRowProps {
  readonly row: VariableRow;
  readonly variable: KnownVariable | undefined;
  readonly fault: string | null | undefined;
  readonly onChange: (change: RowChange) => void;
  readonly onRemove: () => void;
}

const FIELD =
  'min-h-8 w-full min-w-0 rounded-control border bg-surface px-2.5 py-1 font-mono text-label leading-5 text-ink placeholder:text-ink-3 hover:border-ink-3';

export function VariableRowEditor({ row, variable, fault, onChange, onRemove }: VariableRowProps) {
  const id = useId();
  const describedBy = [variable && `${id}-about`, fault && `${id}-fault`].filter(Boolean).join(' ');
  return (
    <li className="grid gap-x-4 gap-y-1 px-4 py-3 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto]">
      <VariableName row={row} fault={fault} describedBy={describedBy} onChange={onChange} />
      <VariableValue
        row={row}
        isSecret={variable?.secret ?? true}
        describedBy={describedBy}
        onChange={onChange}
      />
      <div className="flex justify-end">
        {row.isRemoved ? (
          <IconButton label={`Keep ${row.name}`} onClick={() => onChange({ isRemoved: false })}>
            <RotateCcw aria-hidden size={16} />
          </IconButton>
        ) : (
          <IconButton label={`Remove ${row.name || 'this variable'}`} onClick={onRemove}>
            <Trash2 aria-hidden size={16} />
          </IconButton>
        )}
      </div>
      {variable || row.name === '' || row.isRemoved ? null : (
        <VariableHosts row={row} onChange={onChange} />
      )}
      {variable ? (
        <p id={`${id}-about`} className="text-ink-3 text-label wrap-anywhere sm:col-span-3">
          <CodeText text={aboutOf(variable)} />
        </p>
      ) : null}
      {fault ? (
        <p
          id={`${id}-fault`}
          className="flex gap-1.5 font-medium text-gap text-label sm:col-span-3"
        >
          <TriangleAlert aria-hidden size={14} className="mt-px shrink-0" />
          <span className="min-w-0 wrap-anywhere">{fault}</span>
        </p>
      ) : null}
    </li>
  );
}

type PartProps = Pick<VariableRowProps, 'row' | 'onChange'> & { readonly describedBy: string };

function VariableName({
  row,
  fault,
  describedBy,
  onChange,
}: PartProps & Pick<VariableRowProps, 'fault'>) {
  if (row.isStored) {
    return (
      <span className="flex min-h-8 min-w-0 items-center gap-2">
        <code
          className={`min-w-0 font-mono text-label wrap-anywhere ${row.isRemoved ? 'text-ink-3 line-through' : 'text-ink'}`}
        >
          {row.name}
        </code>
        {row.isRemoved ? <Badge tone="warning">Removed on saving</Badge> : null}
      </span>
    );
  }
  return (
    <input
      aria-label="Name of the variable"
      aria-invalid={fault ? true : undefined}
      aria-describedby={describedBy || undefined}
      list="known-variables"
      value={row.name}
      onChange={({ target: { value } }) => onChange({ name: value.trim() })}
      placeholder="NAME"
      ref={focusEmpty}
      autoComplete="off"
      autoCapitalize="characters"
      spellCheck={false}
      className={`${FIELD} ${fault ? 'border-gap' : 'border-line'}`}
    />
  );
}

interface VariableValueProps extends PartProps {
  readonly isSecret: boolean;
}

function VariableValue({ row, isSecret, describedBy, onChange }: VariableValueProps) {
  if (row.isRemoved) return <span className="min-h-8" />;
  if (row.value === null) {
    return (
      <span className="flex min-h-8 items-center gap-3">
        <span className="font-mono text-ink-3 text-label">
          <span aria-hidden>••••••••</span>
          <span className="sr-only">The value is stored, and cannot be read.</span>
        </span>
        <Button size="small" variant="quiet" onClick={() => onChange({ value: '' })}>
          Replace<span className="sr-only"> the value of {row.name}</span>
        </Button>
      </span>
    );
  }
  return <ValueField row={row} isSecret={isSecret} describedBy={describedBy} onChange={onChange} />;
}

function ValueField({ row, isSecret, describedBy, onChange }: VariableValueProps) {
  const [isShown, setShown] = useState(!isSecret);
  const field = {
    'aria-label': `Value of ${row.name || 'the variable'}`,
    'aria-describedby': describedBy || undefined,
    value: row.value ?? '',
    autoComplete: 'off',
    spellCheck: false,
    className: `${FIELD} border-line`,
    placeholder: row.isStored ? 'The new value' : 'Value',
    // The field of a stored value replaces the button that was pressed.
    ...(row.isStored && { ref: focusEmpty }),
  };
  return (
    <span className="flex min-w-0 items-start gap-1">
      {isShown ? (
        <textarea
          {...field}
          rows={1}
          onChange={({ target: { value } }) => onChange({ value })}
          className={`${field.className} field-sizing-content max-h-60 resize-y`}
        />
      ) : (
        <input
          {...field}
          type="password"
          autoComplete="new-password"
          onChange={({ target: { value } }) => onChange({ value })}
        />
      )}
      <IconButton
        label={isShown ? 'Hide the value' : 'Show the value'}
        isPressed={isShown}
        onClick={() => setShown(!isShown)}
      >
        {isShown ? <EyeOff aria-hidden size={16} /> : <Eye aria-hidden size={16} />}
      </IconButton>
      {row.isStored ? (
        <Button size="small" variant="quiet" onClick={() => onChange({ value: null })}>
          Keep the stored one
        </Button>
      ) : null}
    </span>
  );
}

/** Focuses a field that appears empty, because the user has just asked for it. */
function focusEmpty(field: HTMLInputElement | HTMLTextAreaElement | null): void {
  if (field?.value === '') field.focus();
}

function aboutOf({ description, required, default: fallback }: KnownVariable): string {
  if (required) return `Required. ${description}`;
  return fallback === null ? description : `${description} Without it: ${fallback}.`;
}
