import type { PlanTemplate } from '@session/contract';
import { useQuery } from '@tanstack/react-query';
import { Download, Plus } from 'lucide-react';
import { type Dispatch, type SetStateAction, useState } from 'react';
import { flushSync } from 'react-dom';
import { onlyIf } from '../../service/queries.ts';
import { useService } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { downloadText } from '../../ui/download-text.ts';
import { fieldError } from '../../ui/failure.ts';
import { TextArea, TextField } from '../../ui/field.tsx';
import { Section } from '../../ui/section.tsx';
import { EditorFrame } from './editor-frame.tsx';
import { withChanged, without } from './keyed-rows.ts';
import {
  type PlanDraft,
  planBody,
  planDraftOf,
  type StepDraft,
  withStep,
  withStepMoved,
} from './plan-draft.ts';
import { planFile, planFileName } from './plan-file.ts';
import { StepCard } from './step-card.tsx';
import { StoredTemplate } from './stored-template.tsx';
import { planQuery } from './template-queries.ts';
import { useUnsaved } from './unsaved.tsx';
import { useSaveTemplate } from './use-save-template.ts';

const MAX_STEPS = 50;

interface PlanEditorProps {
  readonly projectId: string;
  readonly id: string | null;
  readonly imported?: PlanDraft;
  readonly onClose: () => void;
}

export function PlanEditor({ id, ...rest }: PlanEditorProps) {
  const { client } = useService();
  const query = useQuery({ ...planQuery(client, id ?? ''), ...onlyIf(id !== null) });
  return (
    <StoredTemplate title="Plan" isNew={id === null} query={query} onClose={rest.onClose}>
      {(plan, onReadAgain) => <PlanForm {...{ ...rest, plan, onReadAgain }} />}
    </StoredTemplate>
  );
}

interface PlanFormProps extends Omit<PlanEditorProps, 'id'> {
  readonly plan: PlanTemplate | null;
  readonly onReadAgain: () => void;
}

function PlanForm({ projectId, plan, imported, onClose, onReadAgain }: PlanFormProps) {
  const [stored] = useState(plan);
  const [initial] = useState(() => imported ?? planDraftOf(plan));
  const [draft, setDraft] = useState(initial);
  const { mutate, isPending, error, isSuccess } = useSave(projectId, stored);
  const isDirty = !isSuccess && (imported !== undefined || draft !== initial);
  const { leave, question } = useUnsaved(isDirty, onClose);
  const download = () =>
    downloadText(planFileName(draft.name), [planFile(draft)], 'application/json');
  return (
    <>
      <EditorFrame
        title={stored ? stored.name : 'New plan'}
        error={error}
        isDirty={isDirty}
        isBusy={isPending}
        onLeave={leave}
        onSave={() => mutate(draft, { onSuccess: onClose })}
        onReadAgain={onReadAgain}
        actions={
          <Button size="small" icon={<Download aria-hidden size={14} />} onClick={download}>
            Export
          </Button>
        }
      >
        <PlanAbout draft={draft} onChange={setDraft} error={error} />
        <PlanSteps draft={draft} onChange={setDraft} error={error} />
        <div>
          <Button
            size="small"
            icon={<Plus aria-hidden size={14} />}
            disabled={draft.steps.length >= MAX_STEPS}
            onClick={() => setDraft(withStep(draft))}
          >
            Add a step
          </Button>
        </div>
      </EditorFrame>
      {question}
    </>
  );
}

function useSave(projectId: string, stored: PlanTemplate | null) {
  const { planTemplates } = useService().client;
  const save = (draft: PlanDraft) => {
    const body = planBody(draft);
    return stored
      ? planTemplates.change(stored.id, body, { version: stored.version })
      : planTemplates.create(projectId, body);
  };
  return useSaveTemplate('plan', save, ({ name }) => `“${name}” is saved.`);
}

interface PlanPartProps {
  readonly draft: PlanDraft;
  readonly onChange: Dispatch<SetStateAction<PlanDraft>>;
  readonly error: Error | null;
}

function PlanAbout({ draft, onChange, error }: PlanPartProps) {
  return (
    <div className="grid gap-4">
      <TextField
        label="Name"
        value={draft.name}
        onChange={({ target: { value } }) => onChange({ ...draft, name: value })}
        required
        maxLength={200}
        error={fieldError(error, 'name')}
      />
      <TextArea
        label="Description"
        hint="Who the agent is, and what the conversation is for, when the environment does not say it."
        value={draft.description}
        onChange={({ target: { value } }) => onChange({ ...draft, description: value })}
        maxLength={2000}
        rows={2}
        error={fieldError(error, 'description')}
      />
    </div>
  );
}

function PlanSteps({ draft, onChange, error }: PlanPartProps) {
  const [said, setSaid] = useState('');
  const change = (next: (steps: readonly StepDraft[]) => StepDraft[]) =>
    onChange((plan) => ({ ...plan, steps: next(plan.steps) }));
  const move = (key: number, to: number) => {
    const focused = document.activeElement;
    flushSync(() => {
      onChange((plan) => withStepMoved(plan, key, to));
      if (to in draft.steps) setSaid(`Moved to step ${to + 1} of ${draft.steps.length}.`);
    });
    // A row that moves in the document loses the focus.
    if (focused instanceof HTMLElement) focused.focus();
  };
  return (
    <Section id="steps" title="Steps">
      <ol className="grid gap-3">
        {draft.steps.map((step, index) => (
          <StepCard
            key={step.key}
            step={step}
            index={index}
            count={draft.steps.length}
            error={error}
            onChange={(changed) => change((steps) => withChanged(steps, step.key, changed))}
            onRemove={() => change((steps) => without(steps, step.key))}
            onMove={(to) => move(step.key, to)}
          />
        ))}
      </ol>
      <output className="sr-only">{said}</output>
    </Section>
  );
}
