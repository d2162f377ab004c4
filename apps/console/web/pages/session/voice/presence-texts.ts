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

export interface RoomPresence {
  readonly key: string;
  readonly name: string;
  /** The predicate after the name: `is thinking …`, `reads, does not hear`. An unknown state follows `is`. */
  readonly does: string;
  readonly tone: 'starting' | 'listening' | 'thinking' | 'speaking';
  readonly startedAt: string | null;
}

interface Catalogue {
  readonly titleOf: (role: string) => string;
  readonly canHear: (agent: Agent | undefined) => boolean;
}

/**
 * Returns what agents and other speaking participants do: first the agents that are starting or joining, then the participants
 * in the room. For a user outside the room, who sees no participants, running agents are `here`.
 */
export function presencesOf(
  agents: readonly Agent[],
  participants: readonly RoomParticipant[],
  { titleOf, canHear }: Catalogue,
): RoomPresence[] {
  const starting = agents.filter(
    (agent) => agent.status !== 'Stopped' && !participants.some((one) => isSame(one, agent)),
  );
  return [
    ...starting.map((agent) => {
      const isUnseen = agent.status === 'Running' && !participants.some(({ isLocal }) => isLocal);
      return (isUnseen ? unseenPresence : startingPresence)(agent, titleOf(agent.role));
    }),
    ...participants
      .filter(({ isLocal }) => !isLocal)
      .flatMap((participant) => {
        const agent = agents.find((one) => isSame(participant, one));
        return inRoom(participant, canHear(agent));
      }),
  ];
}

function isSame({ identity }: RoomParticipant, { id }: Agent): boolean {
  return identity.endsWith(id.slice(-8));
}

function unseenPresence({ id }: Agent, name: string): RoomPresence {
  return { key: id, name, does: 'is here', tone: 'listening', startedAt: null };
}

function startingPresence({ id, status, createdAt }: Agent, name: string): RoomPresence {
  const does = status === 'Starting' ? 'is starting …' : 'is joining …';
  return { key: id, name, does, tone: 'starting', startedAt: createdAt };
}

function inRoom(participant: RoomParticipant, canHear: boolean): RoomPresence[] {
  const { identity, kind, isSpeaking, agentState } = participant;
  const about = { key: identity, name: participantName(participant), startedAt: null };
  if (isSpeaking || agentState === 'speaking')
    return [{ ...about, does: 'is speaking', tone: 'speaking' }];
  if (kind !== 'agent') return [];
  if (agentState === 'thinking') return [{ ...about, does: 'is thinking …', tone: 'thinking' }];
  if (!canHear && (agentState === null || agentState === 'listening')) {
    return [{ ...about, does: 'reads, does not hear', tone: 'listening' }];
  }
  const does = agentState === null ? 'is here' : `is ${agentState.replaceAll('_', ' ')}`;
  return [{ ...about, does, tone: 'listening' }];
}
