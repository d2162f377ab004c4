import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react';
import { IconButton } from '../../ui/button.tsx';
import { fieldError } from '../../ui/failure.ts';
import { Checkbox, TextArea, TextField } from '../../ui/field.tsx';
import { DeliverableFields } from './deliverable-fields.tsx';
import { NO_DELIVERABLE, type StepDraft } from './plan-draft.ts';
import { StepGrip } from './step-grip.tsx';

interface StepCardProps {
  readonly step: StepDraft;
  readonly index: number;
  readonly count: number;
  readonly error: Error | null;
  readonly onChange: (change: Partial<Omit<StepDraft, 'key'>>) => void;
  readonly onRemove: () => void;
  readonly onMove: (to: number) => void;
}

export function StepCard(props: StepCardProps) {
  const { step, index, error, onChange } = props;
  const path = `steps.${index}`;
  return (
    <li
      data-step={index}
      className="grid gap-3 rounded-card border border-line bg-surface p-4 has-[[data-grip]:active]:border-iris"
    >
      <StepHeader {...props} />
      <TextField
        label="Title"
        value={step.title}
        onChange={({ target: { value } }) => onChange({ title: value })}
        required
        maxLength={200}
        error={fieldError(error, `${path}.title`)}
      />
      <TextArea
        label="Instructions"
        hint="What the agent does in this step, and when it is done."
        value={step.instructions}
        onChange={({ target: { value } }) => onChange({ instructions: value })}
        required
        maxLength={8000}
        rows={2}
        error={fieldError(error, `${path}.instructions`)}
      />
      <Checkbox
        label="It collects an answer"
        checked={step.deliverable !== null}
        onChange={({ target: { checked } }) =>
          onChange({ deliverable: checked ? NO_DELIVERABLE : null })
        }
      />
      {step.deliverable ? (
        <DeliverableFields
          deliverable={step.deliverable}
          path={`${path}.deliverable`}
          error={error}
          onChange={(deliverable) => onChange({ deliverable })}
        />
      ) : null}
    </li>
  );
}

function StepHeader({ index, count, onMove, onRemove }: StepCardProps) {
  const number = index + 1;
  return (
    <div className="flex items-center gap-1">
      <StepGrip index={index} onMove={onMove} />
      <h3 className="flex-1 font-strong text-control">Step {number}</h3>
      <IconButton
        label={`Move step ${number} up`}
        disabled={index === 0}
        onClick={() => onMove(index - 1)}
      >
        <ArrowUp aria-hidden size={16} />
      </IconButton>
      <IconButton
        label={`Move step ${number} down`}
        disabled={number === count}
        onClick={() => onMove(index + 1)}
      >
        <ArrowDown aria-hidden size={16} />
      </IconButton>
      <IconButton label={`Remove step ${number}`} disabled={count === 1} onClick={onRemove}>
        <Trash2 aria-hidden size={16} />
      </IconButton>
    </div>
  );
}
