import { fieldError } from '../../../ui/failure.ts';
import { Checkbox, TextField } from '../../../ui/field.tsx';
import { Section } from '../../../ui/section.tsx';
import type { DraftProps } from './agent-fields.tsx';

export function AgentHandover({ draft, onChange, error }: DraftProps) {
  const { handsOver, handoverWords, waitSeconds } = draft;
  return (
    <Section id="agent-handover" title="Handing over to a person">
      <Checkbox
        label="The agent may ask for a person, and is silent until one comes."
        checked={handsOver}
        onChange={({ target: { checked } }) => onChange({ handsOver: checked })}
      />
      {handsOver ? (
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="What it says then"
            hint="Empty: its model finds the words."
            value={handoverWords}
            onChange={({ target: { value } }) => onChange({ handoverWords: value })}
            maxLength={500}
            error={fieldError(error, 'handover.persons.say')}
          />
          <TextField
            label="Seconds that it waits"
            hint="120 if empty. Then it goes on by itself."
            type="number"
            min={1}
            max={3600}
            value={waitSeconds}
            onChange={({ target: { value } }) => onChange({ waitSeconds: value })}
            error={fieldError(error, 'handover.persons.waitSeconds')}
          />
        </div>
      ) : null}
    </Section>
  );
}
