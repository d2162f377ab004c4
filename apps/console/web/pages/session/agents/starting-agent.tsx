import type { BrowserRoom } from '@session/client/browser';
import { useRoom } from '@session/client/react';
import type { Agent, StartedAgent } from '@session/contract';
import { useQuery } from '@tanstack/react-query';
import { useService } from '../../../service/service.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { DialogActions } from '../../../ui/dialog.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { endSentences } from '../../agent/agent-end.ts';
import {
  agentQuery,
  agentTimelineQuery,
  agentTypesQuery,
  canHear,
  titleOf,
} from '../../agent/agent-queries.ts';
import { AgentStatus } from '../../agent/agent-status.tsx';
import { ExternalLines } from '../../agent/external-lines.tsx';
import { StepChart } from '../../agent/step-chart.tsx';
import { LongStart } from '../panels/agent-card.tsx';
import { EXTERNAL_ROLE } from './agent-body.ts';

interface StartingAgentProps {
  readonly started: StartedAgent;
  readonly room: BrowserRoom;
  readonly onClose: () => void;
  readonly onBack: () => void;
}

export function StartingAgent({ started, room, onClose, onBack }: StartingAgentProps) {
  const { client } = useService();
  const { id: agentId, connect } = started;
  const query = useQuery(agentQuery(client, agentId));
  return (
    <div className="grid gap-4">
      <Loaded query={query} label="The agent" skeleton={null}>
        {(agent) => (
          <>
            <Progress agent={agent} room={room} />
            <ExternalLines agent={agent} connect={connect} />
            {agent.status === 'Starting' ? <LongStart agent={agent} /> : null}
            <DialogActions>
              <ButtonLink
                to="/sessions/$sessionId/agents/$agentId"
                params={{ sessionId: agent.sessionId, agentId }}
              >
                Logs
              </ButtonLink>
              {agent.status === 'Stopped' ? (
                <Button onClick={onBack}>Change the settings</Button>
              ) : null}
              <Button variant="primary" onClick={onClose}>
                {agent.status === 'Running' ? 'Talk to it' : 'Close'}
              </Button>
            </DialogActions>
          </>
        )}
      </Loaded>
    </div>
  );
}

function Progress({ agent, room }: { readonly agent: Agent; readonly room: BrowserRoom }) {
  const { client } = useService();
  const { data: types } = useQuery(agentTypesQuery(client));
  const { data: steps = [] } = useQuery(agentTimelineQuery(client, agent));
  const { participants } = useRoom(room);
  const identity = `agent-${agent.role}-${agent.id.slice(-8)}`;
  const roomState = participants.find((candidate) => candidate.identity === identity)?.agentState;
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3">
        <h3 className="font-strong text-body wrap-anywhere">{titleOf(types, agent.role)}</h3>
        <AgentStatus agent={agent} />
      </div>
      <output className="block text-control text-ink-2 wrap-anywhere">
        {progressText(agent, roomState ?? null, canHear(types, agent))}
      </output>
      <StepChart steps={steps} isLive={agent.status === 'Starting'} />
    </>
  );
}

function progressText(agent: Agent, roomState: string | null, hears: boolean): string {
  const end = endSentences(agent);
  if (end) return end;
  if (agent.status === 'Starting') {
    return agent.role === EXTERNAL_ROLE ? 'It is not in the room.' : 'It is starting.';
  }
  if (!hears) return 'It is in the room: it reads, and does not hear.';
  return roomState ? `It is in the room: ${roomState}.` : 'It is in the room.';
}
