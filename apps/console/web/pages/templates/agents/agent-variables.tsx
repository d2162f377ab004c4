import { Plus, Trash2 } from 'lucide-react';
import { Button, IconButton } from '../../../ui/button.tsx';
import { errorBelow, fieldError } from '../../../ui/failure.ts';
import { Checkbox, TextField } from '../../../ui/field.tsx';
import { type VariableDraft, withChanged, withNew, without } from './agent-draft.ts';
import type { DraftProps } from './agent-fields.tsx';

const NEW = { name: '', value: '', isRequired: false, maxLength: undefined };
const MAX_VARIABLES = 50;

export function AgentVariables({ draft: { variables }, onChange, error }: DraftProps) {
  return (
    <section aria-labelledby="agent-variables" className="grid gap-3">
      <div className="grid gap-1">
        <h2 id="agent-variables" className="font-strong text-body">
          Variables
        </h2>
        <p className="text-control text-ink-2">
          Values that each start of an agent may give, such as the name of a guest. Members read
          them: they hold no secrets.
        </p>
      </div>
      {variables.length > 0 ? (
        <ul className="divide-y divide-line rounded-card border border-line bg-surface">
          {variables.map((variable, index) => (
            <Variable
              key={variable.key}
              variable={variable}
              path={`variables.${index}`}
              error={error}
              onChange={(change) =>
                onChange({ variables: withChanged(variables, variable.key, change) })
              }
              onRemove={() => onChange({ variables: without(variables, variable.key) })}
            />
          ))}
        </ul>
      ) : null}
      <p className="font-medium text-gap text-label empty:hidden">
        {fieldError(error, 'variables')}
      </p>
      <div>
        <Button
          size="small"
          icon={<Plus aria-hidden size={14} />}
          disabled={variables.length >= MAX_VARIABLES}
          onClick={() =>
            onChange({ variables: withNew<Omit<VariableDraft, 'key'>>(variables, NEW) })
          }
        >
          Add a variable
        </Button>
      </div>
    </section>
  );
}

interface VariableProps {
  readonly variable: VariableDraft;
  readonly path: string;
  readonly error: Error | null;
  readonly onChange: (change: Partial<VariableDraft>) => void;
  readonly onRemove: () => void;
}

function Variable({ variable, path, error, onChange, onRemove }: VariableProps) {
  const { name, value, isRequired } = variable;
  return (
    <li className="grid items-start gap-x-4 gap-y-2 px-4 py-3 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto_auto]">
      <TextField
        label="Name of the variable"
        isLabelHidden
        value={name}
        onChange={({ target }) => onChange({ name: target.value.trim() })}
        placeholder="guest"
        pattern="[a-z][a-zA-Z0-9_]{0,31}"
        title="1 to 32 letters, digits and _; a small letter first"
        required
        autoComplete="off"
        spellCheck={false}
        error={fieldError(error, `${path}.name`)}
      />
      <TextField
        label={`Default of ${name || 'the variable'}`}
        isLabelHidden
        value={isRequired ? '' : value}
        onChange={({ target }) => onChange({ value: target.value })}
        placeholder={isRequired ? 'Each start gives it' : 'Default'}
        disabled={isRequired}
        maxLength={2000}
        autoComplete="off"
        error={errorBelow(error, `${path}.default`)}
      />
      <Checkbox
        label="Required"
        checked={isRequired}
        onChange={({ target }) => onChange({ isRequired: target.checked })}
        className="self-center"
      />
      <IconButton label={`Remove ${name || 'this variable'}`} onClick={onRemove}>
        <Trash2 aria-hidden size={16} />
      </IconButton>
    </li>
  );
}
