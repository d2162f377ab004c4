import type { Client } from '@session/client';
import type {
  Agent,
  AgentPreflight,
  AgentType,
  NewAgent,
  Session,
  StartedAgent,
} from '@session/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import {
  type Dispatch,
  type SetStateAction,
  type SyntheticEvent,
  useEffect,
  useState,
} from 'react';
import { onlyIf } from '../../../service/queries.ts';
import { useService } from '../../../service/service.ts';
import { FormActions } from '../../../ui/dialog.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { agentTypesQuery } from '../../agent/agent-queries.ts';
import { useStartAgent } from '../../agent/use-agent-actions.ts';
import {
  agentTemplateQuery,
  agentTemplatesQuery,
  envTemplatesQuery,
} from '../../templates/template-queries.ts';
import { agentsQuery } from '../session-queries.ts';
import { hasVariables, withRole, withTemplate, withVariables } from './agent-body.ts';
import { AgentSettings, PlaceChoice, takesPlan } from './agent-settings.tsx';
import { Preflight } from './preflight.tsx';
import { RoleChoice } from './role-choice.tsx';
import { TemplateChoice, TemplateVariables } from './template-choice.tsx';

interface StartAgentFormProps {
  readonly session: Session;
  readonly onStarted: (agent: StartedAgent) => void;
  readonly onClose: () => void;
  readonly isForPlan?: boolean;
}

export function StartAgentForm(props: StartAgentFormProps) {
  const { client } = useService();
  const { data, error, errorUpdatedAt, isFetching, refetch } = useQuery(agentTypesQuery(client));
  const { data: agents = [] } = useQuery(agentsQuery(client, props.session.id));
  const { projectId } = props.session;
  const agentTemplates = useQuery(agentTemplatesQuery(client, projectId));
  const envTemplates = useQuery(envTemplatesQuery(client, projectId));
  // Some fields depend on these lists. A field that appeared or disappeared later would move the others under the
  // pointer.
  const isComplete = agentTemplates.isFetched && envTemplates.isFetched;
  const running = new Set(agents.filter(isLive).map(({ role }) => role));
  const skeleton = (
    <div className="grid gap-2">
      <Skeleton className="h-14 w-full" />
      <Skeleton className="h-14 w-full" />
      <Skeleton className="h-14 w-full" />
    </div>
  );
  return (
    <Loaded
      query={{ data: isComplete ? data : undefined, error, errorUpdatedAt, isFetching, refetch }}
      label="Agents that can be started"
      skeleton={skeleton}
      isQuiet
    >
      {(all) => {
        const types = all.filter(({ aliasOf }) => !aliasOf);
        const fitting = props.isForPlan ? types.filter(takesPlan) : types;
        const free = fitting.find(({ available, role }) => available && !running.has(role));
        const first = free ?? types[0];
        if (!first) return <p className="text-ink-2">This service has no agents.</p>;
        return <LoadedForm {...props} types={types} first={first.role} />;
      }}
    </Loaded>
  );
}

function isLive({ status }: Agent): boolean {
  return status !== 'Stopped';
}

interface LoadedFormProps extends StartAgentFormProps {
  readonly types: readonly AgentType[];
  readonly first: string;
}

function LoadedForm({ session, types, first, onStarted, onClose }: LoadedFormProps) {
  const [body, setBody] = useState<NewAgent>({ role: first });
  const preflight = usePreflight(session.id, body);
  const { mutate, isPending, error } = useStartAgent(session.id);
  const { problems } = preflight;
  const hasProblems = problems !== undefined && problems.length > 0;
  const start = (event: SyntheticEvent) => {
    event.preventDefault();
    if (hasProblems || isPending) return;
    mutate(body, { onSuccess: onStarted });
  };
  return (
    <form onSubmit={start} className="grid gap-5">
      <TemplateChoice
        projectId={session.projectId}
        chosen={body.agentTemplateId ?? undefined}
        onChoose={(id) =>
          setBody((settings) => (id ? withTemplate(settings, id) : withRole(settings, first)))
        }
      />
      <Settings projectId={session.projectId} types={types} body={body} onChange={setBody} />
      <Preflight {...preflight} projectId={session.projectId} />
      <ErrorNotice error={error} />
      <FormActions
        onClose={onClose}
        submitLabel="Start"
        isBusy={isPending}
        isDisabled={hasProblems}
      />
    </form>
  );
}

interface SettingsProps {
  readonly projectId: string;
  readonly types: readonly AgentType[];
  readonly body: NewAgent;
  readonly onChange: Dispatch<SetStateAction<NewAgent>>;
}

function Settings({ projectId, types, body, onChange }: SettingsProps) {
  const { client } = useService();
  const { agentTemplateId: id, role = '' } = body;
  const { data: templates } = useQuery(agentTemplatesQuery(client, projectId));
  const roleNow = id ? templates?.find((template) => template.id === id)?.role : role;
  const type = types.find((one) => one.role === roleNow);
  return (
    <>
      {id ? (
        <>
          <TemplateVariables
            key={id}
            templateId={id}
            values={body.variables ?? {}}
            onChange={(values) => onChange((settings) => withVariables(settings, values))}
          />
          <PlaceChoice body={body} onChange={onChange} />
        </>
      ) : (
        <RoleChoice
          types={types}
          role={role}
          onChoose={(chosen) => onChange((settings) => withRole(settings, chosen))}
        />
      )}
      {type ? (
        <AgentSettings
          projectId={projectId}
          type={type}
          body={body}
          onChange={(change) => onChange((settings) => ({ ...settings, ...change }))}
        />
      ) : null}
    </>
  );
}

function usePreflight(sessionId: string, body: NewAgent) {
  const { client } = useService();
  const late = useLate(body);
  const id = late.agentTemplateId ?? '';
  const template = useQuery({ ...agentTemplateQuery(client, id), ...onlyIf(id !== '') });
  const isComplete =
    id === '' || (template.data !== undefined && hasVariables(late, template.data));
  const { data, error, isFetching, refetch } = useQuery({
    ...preflightQuery(client, sessionId, late),
    ...onlyIf(isComplete),
  });
  return {
    problems: late === body ? data : undefined,
    error,
    isChecking: isFetching || late !== body,
    onCheck: () => void refetch(),
  };
}

type Problems = AgentPreflight['problems'];

function preflightQuery(client: Client, sessionId: string, body: NewAgent) {
  return queryOptions({
    queryKey: ['session', sessionId, 'preflight', body],
    queryFn: ({ signal }): Promise<Problems> => client.agents.check(sessionId, body, { signal }),
    staleTime: 0,
    gcTime: 0,
  });
}

const PAUSE_MS = 250;

function useLate<Value>(value: Value): Value {
  const [late, setLate] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLate(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return late;
}
