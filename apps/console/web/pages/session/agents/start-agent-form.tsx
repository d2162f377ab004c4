import type { Client } from '@session/client';
import type { Agent, AgentPreflight, AgentType, NewAgent, Session } from '@session/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { useService } from '../../../service/service.ts';
import { Button } from '../../../ui/button.tsx';
import { DialogActions } from '../../../ui/dialog.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { agentTypesQuery } from '../../agent/agent-queries.ts';
import { useStartAgent } from '../../agent/use-agent-actions.ts';
import { agentsQuery } from '../session-queries.ts';
import { AgentSettings, takesPlan } from './agent-settings.tsx';
import { Preflight } from './preflight.tsx';
import { RoleChoice } from './role-choice.tsx';

interface StartAgentFormProps {
  readonly session: Session;
  readonly onStarted: (agentId: string) => void;
  readonly onClose: () => void;
  readonly isForPlan?: boolean;
}

export function StartAgentForm(props: StartAgentFormProps) {
  const { client } = useService();
  const query = useQuery(agentTypesQuery(client));
  const { data: agents = [] } = useQuery(agentsQuery(client, props.session.id));
  const running = new Set(agents.filter(isLive).map(({ role }) => role));
  const skeleton = (
    <div className="grid gap-2">
      <Skeleton className="h-14 w-full" />
      <Skeleton className="h-14 w-full" />
      <Skeleton className="h-14 w-full" />
    </div>
  );
  return (
    <Loaded query={query} label="Agents that can be started" skeleton={skeleton} isQuiet>
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
  const { client } = useService();
  const [body, setBody] = useState<NewAgent>({ role: first });
  const preflight = useQuery(preflightQuery(client, session.id, body));
  const { mutate, isPending, error } = useStartAgent(session.id);
  const hasProblems = preflight.data !== undefined && preflight.data.length > 0;
  const type = types.find(({ role }) => role === body.role);
  const start = (event: SyntheticEvent) => {
    event.preventDefault();
    if (hasProblems || isPending) return;
    mutate(body, { onSuccess: ({ id }) => onStarted(id) });
  };
  return (
    <form onSubmit={start} className="grid gap-5">
      <RoleChoice
        types={types}
        role={body.role ?? first}
        onChoose={(role) => setBody((settings) => withRole(settings, role))}
      />
      {type ? (
        <AgentSettings
          projectId={session.projectId}
          type={type}
          body={body}
          onChange={(change) => setBody((settings) => ({ ...settings, ...change }))}
        />
      ) : null}
      <Preflight
        problems={preflight.data}
        error={preflight.error}
        isChecking={preflight.isFetching}
        projectId={session.projectId}
        onCheck={() => void preflight.refetch()}
      />
      {error ? <ErrorNotice error={error} /> : null}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" isBusy={isPending} disabled={hasProblems}>
          Start
        </Button>
      </DialogActions>
    </form>
  );
}

/** Returns the settings for another role. What it is to echo is a setting of the echo agent alone. */
function withRole({ config, ...settings }: NewAgent, role: string): NewAgent {
  const restart = config?.restart;
  return { ...settings, role, ...(restart && { config: { restart } }) };
}

type Problems = AgentPreflight['problems'];

/** Everything that would prevent an agent from starting now. The answer to other settings stays until there is a new one. */
function preflightQuery(client: Client, sessionId: string, body: NewAgent) {
  return queryOptions({
    queryKey: ['session', sessionId, 'preflight', body],
    queryFn: ({ signal }): Promise<Problems> => client.agents.check(sessionId, body, { signal }),
    staleTime: 0,
    gcTime: 0,
  });
}
