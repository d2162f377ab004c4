import { Checkbox } from '../../../ui/field.tsx';
import { Section } from '../../../ui/section.tsx';
import type { DraftProps } from './agent-fields.tsx';

export function AgentEnding({ draft, onChange }: Omit<DraftProps, 'error'>) {
  const { endsConversation, closesSession } = draft;
  return (
    <Section id="agent-ending" title="End of the conversation">
      <Checkbox
        label="The agent may end the conversation: it says goodbye and leaves."
        checked={endsConversation}
        onChange={({ target: { checked } }) => onChange({ endsConversation: checked })}
      />
      {endsConversation ? (
        <Checkbox
          label="Then close the session, for good."
          checked={closesSession}
          onChange={({ target: { checked } }) => onChange({ closesSession: checked })}
        />
      ) : null}
    </Section>
  );
}
