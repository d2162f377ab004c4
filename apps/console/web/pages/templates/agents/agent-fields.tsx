import { fieldError } from '../../../ui/failure.ts';
import { Select, TextArea, TextField } from '../../../ui/field.tsx';
import { roleTitle } from '../../sessions/role-title.ts';
import { type AgentDraft, TEMPLATE_ROLES } from './agent-draft.ts';

export interface DraftProps {
  readonly draft: AgentDraft;
  readonly onChange: (change: Partial<AgentDraft>) => void;
  readonly error: Error | null;
}

export function AgentFields(props: DraftProps) {
  const { draft, onChange, error } = props;
  return (
    <div className="grid gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Name"
          value={draft.name}
          onChange={({ target: { value } }) => onChange({ name: value })}
          required
          maxLength={200}
          error={fieldError(error, 'name')}
        />
        <Select
          label="Role"
          value={draft.role}
          onChange={({ target: { value } }) => onChange({ role: value })}
          error={fieldError(error, 'role')}
        >
          {TEMPLATE_ROLES.map(([role, text]) => (
            <option key={role} value={role}>
              {roleTitle(role)}: {text.toLowerCase()}
            </option>
          ))}
        </Select>
      </div>
      <TextArea
        label="Instructions"
        hint="Who the agent is, and how it talks. {{name}} stands for the value of a variable."
        value={draft.instructions}
        onChange={({ target: { value } }) => onChange({ instructions: value })}
        maxLength={32_768}
        rows={8}
        error={fieldError(error, 'instructions')}
      />
      <TextField
        label="Greeting"
        hint="The first words of the agent. “off” waits for the user."
        value={draft.greeting}
        onChange={({ target: { value } }) => onChange({ greeting: value })}
        maxLength={2000}
        error={fieldError(error, 'greeting')}
      />
      <Select
        label="Texts that it answers"
        hint="A text that begins with the name of this template is for this agent in both cases."
        value={draft.isNamedOnly ? 'named' : 'first'}
        onChange={({ target: { value } }) => onChange({ isNamedOnly: value === 'named' })}
        error={fieldError(error, 'answers')}
      >
        <option value="first">What names no other agent, if it was started first</option>
        <option value="named">Only texts with its name</option>
      </Select>
      <ModelFields {...props} />
    </div>
  );
}

function ModelFields({ draft, onChange, error }: DraftProps) {
  return (
    <fieldset className="grid gap-4 sm:grid-cols-3">
      <legend className="mb-3 font-strong text-body">Model</legend>
      <TextField
        label="Model name"
        hint="Its address and key are in the environment."
        value={draft.modelName}
        onChange={({ target: { value } }) => onChange({ modelName: value })}
        maxLength={200}
        placeholder="The environment’s"
        error={fieldError(error, 'model.name')}
      />
      <TextField
        label="Temperature"
        type="number"
        min={0}
        max={2}
        step="any"
        value={draft.temperature}
        onChange={({ target: { value } }) => onChange({ temperature: value })}
        error={fieldError(error, 'model.temperature')}
      />
      <TextField
        label="Maximum tokens per answer"
        type="number"
        min={16}
        max={100_000}
        value={draft.maxOutputTokens}
        onChange={({ target: { value } }) => onChange({ maxOutputTokens: value })}
        error={fieldError(error, 'model.maxOutputTokens')}
      />
    </fieldset>
  );
}
