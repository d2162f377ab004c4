import { type Dispatch, type SetStateAction, useState } from 'react';
import { flushSync } from 'react-dom';
import { Section } from '../../ui/section.tsx';
import { type PlanDraft, withoutStep, withStepChange, withStepMoved } from './plan-draft.ts';
import { StepCard } from './step-card.tsx';

interface PlanStepsProps {
  readonly draft: PlanDraft;
  readonly onChange: Dispatch<SetStateAction<PlanDraft>>;
  readonly error: Error | null;
}

export function PlanSteps({ draft, onChange, error }: PlanStepsProps) {
  const [said, setSaid] = useState('');
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
            onChange={(change) => onChange((plan) => withStepChange(plan, step.key, change))}
            onRemove={() => onChange((plan) => withoutStep(plan, step.key))}
            onMove={(to) => move(step.key, to)}
          />
        ))}
      </ol>
      <output className="sr-only">{said}</output>
    </Section>
  );
}
