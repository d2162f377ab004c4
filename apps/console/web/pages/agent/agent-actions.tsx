import type { Agent, Session } from '@session/contract';
import { useNavigate } from '@tanstack/react-router';
import { useAllowed } from '../../service/use-allowed.ts';
import { Button } from '../../ui/button.tsx';
import { failureSentence } from '../../ui/failure.ts';
import { sameAgain, useStartAgent, useStopAgent } from './use-agent-actions.ts';

interface AgentActionsProps {
  readonly agent: Agent;
  readonly session: Session | undefined;
  readonly size?: 'small' | 'medium';
}

export function AgentActions({ agent, session, size = 'medium' }: AgentActionsProps) {
  const { mayEnd } = useAllowed({ projectId: session?.projectId, createdBy: agent.createdBy });
  const isOver = agent.status === 'Stopped';
  if (isOver && session?.status === 'ACTIVE') return <StartAgain agent={agent} size={size} />;
  if (isOver || !mayEnd) return null;
  return <Stop agent={agent} size={size} />;
}

interface ActionProps {
  readonly agent: Agent;
  readonly size: 'small' | 'medium';
}

function Stop({ agent, size }: ActionProps) {
  const { mutate, isPending, error } = useStopAgent(agent);
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <Button size={size} isBusy={isPending || agent.reason !== null} onClick={() => mutate()}>
        Stop
      </Button>
      <Failed error={error} />
    </span>
  );
}

function StartAgain({ agent, size }: ActionProps) {
  const navigate = useNavigate();
  const { mutate, isPending, error } = useStartAgent(agent.sessionId);
  const start = () =>
    mutate(sameAgain(agent), {
      onSuccess: ({ id: agentId, sessionId }) => {
        const params = { sessionId, agentId };
        void navigate({ to: '/sessions/$sessionId/agents/$agentId', params });
      },
    });
  return (
    <span className="inline-flex flex-wrap items-center gap-2">
      <Button size={size} isBusy={isPending} onClick={start}>
        Start again
      </Button>
      <Failed error={error} />
    </span>
  );
}

function Failed({ error }: { readonly error: Error | null }) {
  if (!error) return null;
  return (
    <span role="alert" className="text-control text-gap wrap-anywhere">
      {failureSentence(error)}
    </span>
  );
}
