import { Plus, Trash2, TriangleAlert } from 'lucide-react';
import { useId } from 'react';
import { Button, IconButton } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { withChanged, withNew, without } from '../keyed-rows.ts';
import type { HeaderDraft } from './tool-draft.ts';

const MAX_HEADERS = 20;

interface ToolHeadersProps {
  readonly headers: readonly HeaderDraft[];
  readonly fault: string | undefined;
  readonly onChange: (headers: readonly HeaderDraft[]) => void;
}

export function ToolHeaders({ headers, fault, onChange }: ToolHeadersProps) {
  const id = useId();
  return (
    <fieldset aria-describedby={`${id}-hint`} className="grid gap-2">
      <legend className="mb-1.5 font-medium text-control text-ink-2">Headers</legend>
      {headers.map(({ key, name, value }) => (
        <div key={key} className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto] gap-2">
          <TextField
            label="Name of the header"
            isLabelHidden
            value={name}
            onChange={({ target }) =>
              onChange(withChanged(headers, key, { name: target.value.trim() }))
            }
            placeholder="authorization"
            required
            autoComplete="off"
            spellCheck={false}
          />
          <TextField
            label={`Value of ${name || 'the header'}`}
            isLabelHidden
            value={value}
            onChange={({ target }) => onChange(withChanged(headers, key, { value: target.value }))}
            placeholder="Bearer {{env.HOTEL_KEY}}"
            maxLength={1000}
            autoComplete="off"
            spellCheck={false}
          />
          <IconButton
            label={`Remove ${name || 'this header'}`}
            onClick={() => onChange(without(headers, key))}
          >
            <Trash2 aria-hidden size={16} />
          </IconButton>
        </div>
      ))}
      {fault ? (
        <p role="alert" className="flex gap-1.5 font-medium text-gap text-label">
          <TriangleAlert aria-hidden size={14} className="mt-px shrink-0" />
          <span className="min-w-0 wrap-anywhere">{fault}</span>
        </p>
      ) : null}
      <p id={`${id}-hint`} className="text-ink-3 text-label">
        A key stays in the environment: {'{{env.HOTEL_KEY}}'} stands for it. The environment names
        the hosts that get it.
      </p>
      <div>
        <Button
          size="small"
          icon={<Plus aria-hidden size={14} />}
          disabled={headers.length >= MAX_HEADERS}
          onClick={() =>
            onChange(withNew<Omit<HeaderDraft, 'key'>>(headers, { name: '', value: '' }))
          }
        >
          Add a header
        </Button>
      </div>
    </fieldset>
  );
}
