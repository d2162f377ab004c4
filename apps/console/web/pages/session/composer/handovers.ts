import type { TimelineItem } from '@session/client';
import type { Agent } from '@session/contract';

type Message = Pick<TimelineItem, 'metadata'>;

/** Returns the newest handover to a person that one of `agents` reported. The newest of `messages` is the last one. */
export function newestHandover(
  messages: readonly Message[],
  agents: readonly Pick<Agent, 'role' | 'id'>[],
): Message | undefined {
  const identities = new Set(agents.map(({ role, id }) => `agent-${role}-${id.slice(-8)}`));
  return messages.findLast((message) => {
    const { kind, participant } = message.metadata ?? {};
    const isToPerson = kind === 'handover' && payloadOf(message)['to'] === undefined;
    return isToPerson && identities.has(Object(participant).identity);
  });
}

export function payloadOf(message: Message | undefined): Readonly<Record<string, unknown>> {
  return Object(message?.metadata?.['payload']);
}
