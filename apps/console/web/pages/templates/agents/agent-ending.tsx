import { Checkbox } from '../../../ui/field.tsx';
import type { DraftProps } from './agent-fields.tsx';

/** Whether the agent may end the conversation, and what comes then. */
export function AgentEnding({ draft, onChange }: Omit<DraftProps, 'error'>) {
  const { endsConversation, closesSession } = draft;
  return (
    <section aria-labelledby="agent-ending" className="grid gap-3">
      <h2 id="agent-ending" className="font-strong text-body">
        End of the conversation
      </h2>
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
    </section>
  );
}
