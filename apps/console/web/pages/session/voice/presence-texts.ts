import type { Agent } from '@session/contract';
import { participantName } from '../conversation/message-facts.ts';

interface RoomParticipant {
  readonly identity: string;
  readonly name: string;
  readonly kind: string;
  readonly isLocal: boolean;
  readonly isSpeaking: boolean;
  readonly agentState: string | null;
}

/** One line of what goes on in the room. */
export interface RoomPresence {
  readonly key: string;
  readonly name: string;
  /** What the participant does: `listening`, `thinking` … An unknown state is its name. */
  readonly does: string;
  readonly tone: 'starting' | 'listening' | 'thinking' | 'speaking';
  /** When an agent that is still starting was asked for. */
  readonly startedAt: string | null;
}

/** Returns what agents and speaking participants do: agents on their way first, then those in the room. */
export function presencesOf(
  agents: readonly Agent[],
  participants: readonly RoomParticipant[],
  titleOf: (role: string) => string,
): RoomPresence[] {
  const starting = agents.filter(
    ({ id, status }) =>
      status !== 'Stopped' && !participants.some(({ identity }) => identity.endsWith(id.slice(-8))),
  );
  return [
    ...starting.map((agent) => startingPresence(agent, titleOf(agent.role))),
    ...participants.filter(({ isLocal }) => !isLocal).flatMap(inRoom),
  ];
}

function startingPresence({ id, status, createdAt }: Agent, name: string): RoomPresence {
  const does = status === 'Starting' ? 'is starting …' : 'is joining …';
  return { key: id, name, does, tone: 'starting', startedAt: createdAt };
}

function inRoom(participant: RoomParticipant): RoomPresence[] {
  const { identity, kind, isSpeaking, agentState } = participant;
  const about = { key: identity, name: participantName(participant), startedAt: null };
  if (isSpeaking || agentState === 'speaking')
    return [{ ...about, does: 'is speaking', tone: 'speaking' }];
  if (kind !== 'agent') return [];
  if (agentState === 'thinking') return [{ ...about, does: 'is thinking …', tone: 'thinking' }];
  const does = agentState === null ? 'is here' : `is ${agentState.replaceAll('_', ' ')}`;
  return [{ ...about, does, tone: 'listening' }];
}
