import type { BrowserRoom } from '@session/client/browser';
import { useRoom } from '@session/client/react';
import type { Agent, Session } from '@session/contract';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useService } from '../../../service/service.ts';
import { Button } from '../../../ui/button.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { StartAgentDialog } from '../agents/start-agent-dialog.tsx';
import { agentsQuery } from '../session-queries.ts';
import { AgentCard } from './agent-card.tsx';
import { EmptyPanel, STEPS_DRAWING } from './empty-panel.tsx';

interface AgentPanelProps {
  readonly session: Session;
  readonly room: BrowserRoom;
}

export function AgentPanel({ session, room }: AgentPanelProps) {
  const { client } = useService();
  const query = useQuery(agentsQuery(client, session.id));
  const [isStarting, setStarting] = useState(false);
  const { participants } = useRoom(room);
  const stateOf = ({ role, id }: Agent) =>
    participants.find(({ identity }) => identity === `agent-${role}-${id.slice(-8)}`)?.agentState;
  const live = query.data?.filter(({ status }) => status !== 'Stopped') ?? [];
  const stopped = query.data?.filter(({ status }) => status === 'Stopped') ?? [];
  return (
    <section aria-labelledby="agents" className="grid gap-4">
      <div className="flex items-center justify-between gap-2">
        <h2 id="agents" className="font-strong text-body">
          Agents
        </h2>
        {session.status === 'ACTIVE' && live.length > 0 ? (
          <Button
            size="small"
            icon={<Plus aria-hidden size={14} />}
            onClick={() => setStarting(true)}
          >
            Start an agent
          </Button>
        ) : null}
      </div>
      <Loaded query={query} label="Agents" skeleton={<Skeletons />}>
        {() => (
          <>
            {live.map((agent) => (
              <AgentCard
                key={agent.id}
                agent={agent}
                session={session}
                roomState={stateOf(agent) ?? null}
              />
            ))}
            {live.length === 0 ? (
              <NoAgent
                session={session}
                hadOne={stopped.length > 0}
                onStart={() => setStarting(true)}
              />
            ) : null}
            {stopped.length > 0 ? <Stopped agents={stopped} session={session} /> : null}
          </>
        )}
      </Loaded>
      <StartAgentDialog
        isOpen={isStarting}
        onClose={() => setStarting(false)}
        session={session}
        room={room}
      />
    </section>
  );
}

interface NoAgentProps {
  readonly session: Session;
  readonly hadOne: boolean;
  readonly onStart: () => void;
}

function NoAgent({ session, hadOne, onStart }: NoAgentProps) {
  if (session.status !== 'ACTIVE') {
    return hadOne ? (
      <p className="text-control text-ink-2">The session is closed, and its agents have stopped.</p>
    ) : (
      <EmptyPanel title="No agent was in this session." drawing={STEPS_DRAWING} />
    );
  }
  return (
    <EmptyPanel
      title={hadOne ? 'No agent runs now.' : 'No agent is here yet.'}
      drawing={STEPS_DRAWING}
      action={
        <Button
          size="small"
          variant="primary"
          icon={<Plus aria-hidden size={14} />}
          onClick={onStart}
        >
          Start an agent
        </Button>
      }
    >
      {hadOne
        ? 'Start another one, or start an earlier one again.'
        : 'Start one to talk with. The echo agent needs no keys.'}
    </EmptyPanel>
  );
}

interface StoppedProps {
  readonly agents: readonly Agent[];
  readonly session: Session;
}

function Stopped({ agents, session }: StoppedProps) {
  const [newest, ...earlier] = agents;
  return (
    <div className="grid gap-4">
      {newest ? <AgentCard agent={newest} session={session} roomState={null} /> : null}
      {earlier.length > 0 ? (
        <details>
          <summary className="cursor-pointer rounded-control py-1 text-control text-ink-2 hover:text-ink">
            {earlier.length === 1 ? '1 earlier agent' : `${earlier.length} earlier agents`}
          </summary>
          <div className="mt-2 grid gap-4">
            {earlier.map((agent) => (
              <AgentCard key={agent.id} agent={agent} session={session} roomState={null} />
            ))}
          </div>
        </details>
      ) : null}
    </div>
  );
}

function Skeletons() {
  return (
    <div className="grid gap-3 rounded-card border border-line p-3">
      <Skeleton className="h-5 w-32" />
      <Skeleton className="h-3 w-full" />
      <Skeleton className="h-3 w-2/3" />
    </div>
  );
}
