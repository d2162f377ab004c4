import type { Agent, Session } from '@session/contract';
import { useQuery } from '@tanstack/react-query';
import { useService } from '../../../service/service.ts';
import { TextLink } from '../../../ui/text-link.tsx';
import { Time } from '../../../ui/time.tsx';
import { useNow } from '../../../ui/use-now.ts';
import { AgentActions } from '../../agent/agent-actions.tsx';
import { endSentences, isBadEnd } from '../../agent/agent-end.ts';
import { agentTimelineQuery, agentTypesQuery, titleOf } from '../../agent/agent-queries.ts';
import { AgentStatus } from '../../agent/agent-status.tsx';
import { StepChart } from '../../agent/step-chart.tsx';
import { EXTERNAL_ROLE } from '../agents/agent-body.ts';

const LONG_START_MS = 10_000;

interface AgentCardProps {
  readonly agent: Agent;
  readonly session: Session;
  /** What the agent does in the room, by its attribute `lk.agent.state`. */
  readonly roomState: string | null;
}

export function AgentCard({ agent, session, roomState }: AgentCardProps) {
  const { client } = useService();
  const { data: types } = useQuery(agentTypesQuery(client));
  const title = titleOf(types, agent.role);
  const isOver = agent.status === 'Stopped';
  const end = endSentences(agent);
  return (
    <article
      aria-label={title}
      className="grid gap-2.5 rounded-card border border-line bg-surface p-3"
    >
      <div className="flex flex-wrap items-center justify-between gap-x-3">
        <h3 className="min-w-0 font-strong text-control wrap-anywhere">{title}</h3>
        <span className="flex min-w-0 flex-wrap items-center gap-x-1.5 text-control">
          <AgentStatus agent={agent} />
          {roomState ? <span className="text-ink-3 wrap-anywhere">· {roomState}</span> : null}
        </span>
      </div>
      {end ? (
        <p className={`text-control wrap-anywhere ${isBadEnd(agent) ? 'text-gap' : 'text-ink-2'}`}>
          {end}
        </p>
      ) : null}
      {isOver && !isBadEnd(agent) ? null : <Steps agent={agent} />}
      {agent.status === 'Starting' ? <LongStart agent={agent} /> : null}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-control">
        <TextLink
          to="/sessions/$sessionId/agents/$agentId"
          params={{ sessionId: agent.sessionId, agentId: agent.id }}
        >
          Logs
        </TextLink>
        {agent.stoppedAt ? (
          <span className="text-ink-3 text-label">
            <Time at={agent.stoppedAt} />
          </span>
        ) : null}
        <span className="ml-auto">
          <AgentActions agent={agent} session={session} size="small" />
        </span>
      </div>
    </article>
  );
}

function Steps({ agent }: { readonly agent: Agent }) {
  const { client } = useService();
  const { data: steps } = useQuery(agentTimelineQuery(client, agent));
  return steps ? <StepChart steps={steps} isLive={agent.status === 'Starting'} /> : null;
}

export function LongStart({ agent }: { readonly agent: Agent }) {
  const now = useNow('second');
  // An external agent joins when its owner starts it.
  if (agent.role === EXTERNAL_ROLE) return null;
  if (now - Date.parse(agent.createdAt) < LONG_START_MS && agent.restarts === 0) return null;
  return (
    <p className="rounded-control bg-gap-soft px-2.5 py-1.5 text-control text-ink">
      {agent.restarts > 0
        ? `It starts again, for the ${ordinal(agent.restarts)} time.`
        : 'This takes longer than usual.'}{' '}
      <TextLink
        to="/sessions/$sessionId/agents/$agentId"
        params={{ sessionId: agent.sessionId, agentId: agent.id }}
      >
        See its logs
      </TextLink>
    </p>
  );
}

function ordinal(count: number): string {
  return ['', 'first', 'second', 'third'][count] ?? `${count}th`;
}
