import type { Agent } from '@session/contract';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import { isMissing, useService } from '../../service/service.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { MissingState } from '../../ui/missing-state.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { EXTERNAL_ROLE } from '../session/agents/agent-body.ts';
import { sessionQuery } from '../session/session-queries.ts';
import { AgentActions } from './agent-actions.tsx';
import { endSentences, isBadEnd } from './agent-end.ts';
import { AgentFacts } from './agent-facts.tsx';
import { agentQuery, agentTimelineQuery, agentTypesQuery, titleOf } from './agent-queries.ts';
import { AgentStatus } from './agent-status.tsx';
import { ExternalLines } from './external-lines.tsx';
import { LogView, NoLog } from './log-view.tsx';
import { StepChart } from './step-chart.tsx';
import { TurnChart } from './turn-chart.tsx';

export function AgentPage() {
  const { client } = useService();
  const { agentId, sessionId } = useParams({
    from: '/signed-in/sessions/$sessionId/agents/$agentId',
  });
  const query = useQuery(agentQuery(client, agentId));
  const { data: agent, error } = query;
  if (agent && !isMissing(error)) return <AgentView agent={agent} error={error} key={agentId} />;
  if (isMissing(error)) return <MissingAgent sessionId={sessionId} />;
  return (
    <div className="grid gap-4 p-6">
      <h1 className="sr-only">Agent</h1>
      <Loaded query={query} label="The agent" skeleton={<Skeletons />}>
        {() => null}
      </Loaded>
    </div>
  );
}

function AgentView({ agent, error }: { readonly agent: Agent; readonly error: Error | null }) {
  const { client } = useService();
  const { data: types } = useQuery(agentTypesQuery(client));
  const title = titleOf(types, agent.role);
  const { data: session } = useQuery(sessionQuery(client, agent.sessionId));
  usePageTitle(title, session?.name);
  return (
    <div className="flex min-h-full flex-col md:h-full">
      <AgentHeader agent={agent} title={title} />
      {error ? (
        <div className="px-4 pt-4">
          <ErrorNotice error={error} />
        </div>
      ) : null}
      <div className="grid min-h-0 flex-1 md:grid-cols-[minmax(300px,2fr)_minmax(0,3fr)]">
        <AgentLife agent={agent} />
        <div className="flex h-[70dvh] min-h-0 min-w-0 border-line border-t md:h-auto md:border-t-0 md:border-l">
          {agent.role === EXTERNAL_ROLE ? (
            <NoLog />
          ) : (
            <LogView agentId={agent.id} name={`${agent.role}-${agent.id}`} />
          )}
        </div>
      </div>
    </div>
  );
}

interface AgentHeaderProps {
  readonly agent: Agent;
  readonly title: string;
}

function AgentHeader({ agent, title }: AgentHeaderProps) {
  const { client } = useService();
  const { data: session } = useQuery(sessionQuery(client, agent.sessionId));
  const end = endSentences(agent);
  return (
    <header className="grid gap-2 border-line border-b px-4 py-4 sm:px-6">
      <TextLink
        to="/sessions/$sessionId"
        params={{ sessionId: agent.sessionId }}
        className="inline-flex max-w-full items-center gap-1 justify-self-start text-control"
      >
        <ChevronLeft aria-hidden size={14} className="shrink-0" />
        <span className="truncate">{session?.name ?? 'The session'}</span>
      </TextLink>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h1 tabIndex={-1} className="min-w-0 font-strong text-head outline-none wrap-anywhere">
          {title}
        </h1>
        <AgentStatus agent={agent} />
        <div className="ml-auto">
          <AgentActions agent={agent} session={session} />
        </div>
      </div>
      {end ? (
        <p className={`text-control wrap-anywhere ${isBadEnd(agent) ? 'text-gap' : 'text-ink-2'}`}>
          {end}
        </p>
      ) : null}
    </header>
  );
}

function AgentLife({ agent }: { readonly agent: Agent }) {
  const { client } = useService();
  const query = useQuery(agentTimelineQuery(client, agent));
  return (
    <div className="min-h-0 min-w-0 overflow-y-auto">
      <section aria-labelledby="timeline" className="grid gap-3 p-4 sm:px-6">
        <h2 id="timeline" className="font-strong text-control">
          Timeline
        </h2>
        <Loaded query={query} label="The agent" skeleton={<Skeletons />}>
          {(steps) => <StepChart steps={steps} isLive={agent.status === 'Starting'} isWide />}
        </Loaded>
      </section>
      <TurnChart agent={agent} />
      <div className="px-4 pb-4 empty:hidden sm:px-6">
        <ExternalLines agent={agent} />
      </div>
      <AgentFacts agent={agent} />
    </div>
  );
}

function Skeletons() {
  return (
    <div className="grid gap-3">
      <Skeleton className="h-6 w-48" />
      <Skeleton className="h-4 w-full" />
      <Skeleton className="h-4 w-full" />
      <Skeleton className="h-4 w-2/3" />
    </div>
  );
}

function MissingAgent({ sessionId }: { readonly sessionId: string }) {
  return (
    <MissingState
      title="This agent is gone"
      action={
        <ButtonLink to="/sessions/$sessionId" params={{ sessionId }}>
          Open its session
        </ButtonLink>
      }
    >
      Its session was deleted, or you are no longer a member of its project. Its log went with it.
    </MissingState>
  );
}
