import { fieldError } from '../../ui/failure.ts';
import { Checkbox, Select, TextArea, TextField } from '../../ui/field.tsx';
import { DELIVERABLE_TYPES, type DeliverableDraft } from './plan-draft.ts';

interface DeliverableFieldsProps {
  readonly deliverable: DeliverableDraft;
  readonly path: string;
  readonly error: Error | null;
  readonly onChange: (deliverable: DeliverableDraft) => void;
}

const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ['text', 'Text'],
  ['number', 'Number'],
  ['date', 'Date'],
  ['choice', 'One of several'],
]);

export function DeliverableFields({ deliverable, path, error, onChange }: DeliverableFieldsProps) {
  const { title, type, choices, isRequired } = deliverable;
  const types: readonly string[] = DELIVERABLE_TYPES;
  const shown = types.includes(type) ? types : [...types, type];
  return (
    <div className="grid gap-3 border-line border-l-2 pl-4 sm:grid-cols-2">
      <TextField
        label="Name of the answer"
        value={title}
        onChange={({ target: { value } }) => onChange({ ...deliverable, title: value })}
        required
        maxLength={200}
        error={fieldError(error, `${path}.title`) ?? fieldError(error, path)}
      />
      <Select
        label="Kind of answer"
        value={type}
        onChange={({ target: { value } }) => onChange({ ...deliverable, type: value })}
        error={fieldError(error, `${path}.type`)}
      >
        {shown.map((name) => (
          <option key={name} value={name}>
            {TYPE_NAMES.get(name) ?? name}
          </option>
        ))}
      </Select>
      {type === 'choice' ? (
        <TextArea
          label="Choices, one a line"
          value={choices}
          onChange={({ target: { value } }) => onChange({ ...deliverable, choices: value })}
          required
          rows={3}
          error={fieldError(error, `${path}.choices`)}
          className="sm:col-span-2"
        />
      ) : null}
      <Checkbox
        label="The step is not done without it"
        checked={isRequired}
        onChange={({ target: { checked } }) => onChange({ ...deliverable, isRequired: checked })}
        className="sm:col-span-2"
      />
    </div>
  );
}
