import type { AgentType, NewAgent } from '@session/contract';
import { useQuery } from '@tanstack/react-query';
import { useService } from '../../../service/service.ts';
import { Select } from '../../../ui/field.tsx';
import { TextLink } from '../../../ui/text-link.tsx';
import { envTemplatesQuery, plansQuery } from '../../templates/template-queries.ts';
import { EXTERNAL_ROLE, withPlace } from './agent-body.ts';

interface AgentSettingsProps {
  readonly projectId: string;
  readonly type: AgentType;
  readonly body: NewAgent;
  readonly onChange: (change: Partial<NewAgent>) => void;
}

export function takesPlan({ variables }: AgentType): boolean {
  return !variables.some(({ name }) => name === 'ECHO_MODE');
}

export function AgentSettings({ projectId, type, body, onChange }: AgentSettingsProps) {
  const isExternal = body.role === EXTERNAL_ROLE;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {isExternal ? null : (
        <EnvTemplateChoice projectId={projectId} type={type} body={body} onChange={onChange} />
      )}
      {takesPlan(type) ? null : <EchoChoice body={body} onChange={onChange} />}
      {takesPlan(type) && !body.agentTemplateId ? (
        <PlanChoice projectId={projectId} body={body} onChange={onChange} />
      ) : null}
      {isExternal ? null : <RestartChoice body={body} onChange={onChange} />}
    </div>
  );
}

interface PlaceChoiceProps {
  readonly body: NewAgent;
  readonly onChange: (body: NewAgent) => void;
}

export function PlaceChoice({ body, onChange }: PlaceChoiceProps) {
  return (
    <Select
      label="It runs"
      value={body.role ?? ''}
      onChange={({ target: { value } }) => onChange(withPlace(body, value === EXTERNAL_ROLE))}
    >
      <option value="">Here</option>
      <option value={EXTERNAL_ROLE}>Elsewhere: a program of yours</option>
    </Select>
  );
}

type ChoiceProps = Omit<AgentSettingsProps, 'type' | 'projectId'>;

function EnvTemplateChoice({ projectId, type, body, onChange }: AgentSettingsProps) {
  const { client } = useService();
  const { data: templates } = useQuery(envTemplatesQuery(client, projectId));
  const isNeeded = type.requiredVariables.length > 0;
  if (!isNeeded && templates?.length === 0) return null;
  const standard = templates?.find(({ isDefault }) => isDefault) ?? templates?.[0];
  const hasStandard = templates?.length === 1 || standard?.isDefault === true;
  const none = hasStandard && isNeeded ? `The project’s: ${standard?.name}` : 'None';
  return (
    <Select
      label="Environment template"
      value={body.envTemplateId ?? ''}
      onChange={({ target: { value } }) => onChange({ envTemplateId: value || null })}
      hint={
        templates?.length === 0 ? (
          <>
            This agent needs {type.requiredVariables.join(', ')}.{' '}
            <TextLink to="/projects/$projectId/templates" params={{ projectId }}>
              Make a template
            </TextLink>
          </>
        ) : null
      }
    >
      <option value="">{none}</option>
      {templates?.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Select>
  );
}

function PlanChoice({ projectId, body, onChange }: ChoiceProps & { readonly projectId: string }) {
  const { client } = useService();
  const { data: plans } = useQuery(plansQuery(client, projectId));
  return (
    <Select
      label="Plan"
      value={body.planId ?? ''}
      onChange={({ target: { value } }) => onChange({ planId: value || null })}
    >
      <option value="">No plan: a free conversation</option>
      {plans?.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Select>
  );
}

const ECHO_MODES = [
  ['text', 'Texts'],
  ['audio', 'Speech'],
  ['both', 'Texts and speech'],
] as const;

function EchoChoice({ body: { config }, onChange }: ChoiceProps) {
  return (
    <Select
      label="It echoes"
      value={config?.echoMode ?? 'text'}
      onChange={({ target: { value } }) => {
        const [echoMode] = ECHO_MODES.find(([mode]) => mode === value) ?? ['text'];
        onChange({ config: { ...config, echoMode } });
      }}
    >
      {ECHO_MODES.map(([mode, title]) => (
        <option key={mode} value={mode}>
          {title}
        </option>
      ))}
    </Select>
  );
}

function RestartChoice({ body: { config }, onChange }: ChoiceProps) {
  return (
    <Select
      label="When it crashes"
      value={config?.restart ?? ''}
      onChange={({ target: { value } }) => {
        const { restart: _before, ...rest } = config ?? {};
        if (value === 'on-failure') onChange({ config: { ...rest, restart: 'on-failure' } });
        else if (value === 'never') onChange({ config: { ...rest, restart: 'never' } });
        else onChange({ config: rest });
      }}
    >
      <option value="">The role’s default</option>
      <option value="on-failure">Start it again, three times at most</option>
      <option value="never">Leave it stopped</option>
    </Select>
  );
}
