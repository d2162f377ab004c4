import { Trash2 } from 'lucide-react';
import { IconButton } from '../../../ui/button.tsx';
import { errorBelow, fieldError } from '../../../ui/failure.ts';
import { Checkbox, TextField } from '../../../ui/field.tsx';
import type { VariableDraft } from './agent-draft.ts';
import type { DraftProps } from './agent-fields.tsx';
import { DraftSection } from './draft-section.tsx';

const NEW = { name: '', value: '', isRequired: false, maxLength: undefined };
const MAX_VARIABLES = 50;

export function AgentVariables({ draft: { variables }, onChange, error }: DraftProps) {
  return (
    <DraftSection<Omit<VariableDraft, 'key'>>
      id="agent-variables"
      title="Variables"
      description="Values that each start of an agent may give, such as the name of a guest. Members read them: they hold no secrets."
      rows={variables}
      newRow={NEW}
      maxRows={MAX_VARIABLES}
      rowName="a variable"
      fault={fieldError(error, 'variables')}
      onChange={(changed) => onChange({ variables: changed })}
    >
      {(variable, index, edit) => (
        <Variable
          key={variable.key}
          path={`variables.${index}`}
          {...{ variable, error }}
          {...edit}
        />
      )}
    </DraftSection>
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
