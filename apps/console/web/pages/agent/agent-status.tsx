import type { Agent } from '@session/contract';
import { StatusDot } from '../../ui/status-dot.tsx';
import { isBadEnd } from './agent-end.ts';

const TONES: ReadonlyMap<string, 'live' | 'starting' | 'off'> = new Map([
  ['Running', 'live'],
  ['Starting', 'starting'],
  ['Stopped', 'off'],
]);

interface AgentStatusProps {
  readonly agent: Pick<Agent, 'status' | 'reason'>;
}

export function AgentStatus({ agent }: AgentStatusProps) {
  const isEnding = agent.status !== 'Stopped' && agent.reason !== null;
  const tone = isBadEnd(agent) ? 'warning' : (TONES.get(agent.status) ?? 'off');
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap text-control text-ink-2">
      <StatusDot tone={tone} />
      {isEnding ? 'Stopping' : agent.status}
    </span>
  );
}
