import type { ListedAgentTemplate } from '@session/client';
import { useQuery } from '@tanstack/react-query';
import { useService } from '../../../service/service.ts';
import { fieldError } from '../../../ui/failure.ts';
import { Select, TextField } from '../../../ui/field.tsx';
import { agentTemplatesQuery } from '../template-queries.ts';
import type { SuccessorDraft } from './agent-draft.ts';
import type { DraftProps } from './agent-fields.tsx';
import { DraftCard, DraftSection } from './draft-section.tsx';

const NEW = { agentTemplateId: '', name: '', description: '' };
const MAX_SUCCESSORS = 8;
const MAX_NAME_LENGTH = 64;

interface SuccessorsProps extends DraftProps {
  readonly projectId: string;
  /** The id of the edited template, which cannot hand over to itself; null for a new one. */
  readonly ownId: string | null;
}

export function AgentSuccessors(props: SuccessorsProps) {
  const { draft, projectId, ownId, onChange, error } = props;
  const { client } = useService();
  const { data } = useQuery(agentTemplatesQuery(client, projectId));
  const templates = data?.filter(({ id }) => id !== ownId);
  return (
    <DraftSection<Omit<SuccessorDraft, 'key'>>
      id="agent-successors"
      title="Handing over to other agents"
      description="Agents that the model may let go on in the place of this one. They get the values of variables of the same name."
      rows={draft.successors}
      hasCards
      newRow={NEW}
      maxRows={MAX_SUCCESSORS}
      rowName="an agent"
      fault={fieldError(error, 'handover.agents') ?? fieldError(error, 'handover')}
      onChange={(successors) => onChange({ successors })}
    >
      {(successor, index, edit) => (
        <SuccessorCard key={successor.key} {...{ successor, index, templates, error }} {...edit} />
      )}
    </DraftSection>
  );
}

interface SuccessorCardProps {
  readonly successor: SuccessorDraft;
  readonly index: number;
  /** Undefined until they are loaded. */
  readonly templates: readonly ListedAgentTemplate[] | undefined;
  readonly error: Error | null;
  readonly onChange: (change: Partial<SuccessorDraft>) => void;
  readonly onRemove: () => void;
}

function SuccessorCard(props: SuccessorCardProps) {
  const { successor, index, templates, error, onChange, onRemove } = props;
  const { agentTemplateId: chosen, name, description } = successor;
  const path = `handover.agents.${index}`;
  const isGone = chosen !== '' && templates?.every(({ id }) => id !== chosen);
  const choose = (id: string) => {
    const title = templates?.find((template) => template.id === id)?.name ?? '';
    onChange({ agentTemplateId: id, name: name || title.slice(0, MAX_NAME_LENGTH) });
  };
  return (
    <DraftCard
      title={`Agent ${index + 1}`}
      removeLabel={`Remove agent ${index + 1}`}
      onRemove={onRemove}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <Select
          label="Agent template"
          value={chosen}
          onChange={({ target: { value } }) => choose(value)}
          required
          error={fieldError(error, `${path}.agentTemplateId`)}
        >
          <option value="">Choose one</option>
          {isGone ? <option value={chosen}>A template that is gone</option> : null}
          {templates?.map(({ id, name: title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </Select>
        <TextField
          label="Name for the model"
          value={name}
          onChange={({ target: { value } }) => onChange({ name: value })}
          required
          maxLength={MAX_NAME_LENGTH}
          error={fieldError(error, `${path}.name`)}
        />
      </div>
      <TextField
        label="What it is for"
        hint="Tells the model when to hand over to it."
        value={description}
        onChange={({ target: { value } }) => onChange({ description: value })}
        maxLength={300}
        error={fieldError(error, `${path}.description`)}
      />
    </DraftCard>
  );
}
