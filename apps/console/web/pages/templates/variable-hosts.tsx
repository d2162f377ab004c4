import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import type { RowChange, VariableRow } from './env-draft.ts';

interface VariableHostsProps {
  readonly row: VariableRow;
  readonly onChange: (change: RowChange) => void;
}

/**
 * Shows the hosts to which tools may send a value. For a stored value, which cannot be read, hosts can only be removed, because
 * new hosts need a new value.
 */
export function VariableHosts({ row, onChange }: VariableHostsProps) {
  const { name, value, hosts } = row;
  if (value !== null) {
    return (
      <TextField
        label={`Hosts that tools may send ${name} to (optional)`}
        value={hosts}
        onChange={({ target }) => onChange({ hosts: target.value })}
        placeholder="api.example.com"
        autoComplete="off"
        spellCheck={false}
        className="sm:col-span-3"
      />
    );
  }
  if (hosts === '') return null;
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-ink-3 text-label sm:col-span-3">
      <span className="min-w-0 wrap-anywhere">
        Tools may send it to <code className="font-mono">{hosts}</code>.
      </span>
      <Button size="small" variant="quiet" onClick={() => onChange({ hosts: '' })}>
        Remove<span className="sr-only"> the hosts of {name}</span>
      </Button>
    </p>
  );
}
