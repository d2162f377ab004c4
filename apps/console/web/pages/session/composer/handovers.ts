import type { TimelineItem } from '@session/client';
import type { Agent } from '@session/contract';

type Message = Pick<TimelineItem, 'metadata'>;

const OPEN_STATES: ReadonlySet<unknown> = new Set(['requested', 'taken']);

/**
 * Returns the newest open handover to a person. Of each of `agents`, only its newest report counts. The newest of `messages`
 * is the last one.
 */
export function newestOpenHandover(
  messages: readonly Message[],
  agents: readonly Pick<Agent, 'role' | 'id'>[],
): Message | undefined {
  const unseen = new Set<unknown>(agents.map(({ role, id }) => `agent-${role}-${id.slice(-8)}`));
  return messages.findLast((message) => {
    const { kind, participant } = message.metadata ?? {};
    const isToPerson = kind === 'handover' && payloadOf(message)['to'] === undefined;
    const isNewest = isToPerson && unseen.delete(Object(participant).identity);
    return isNewest && OPEN_STATES.has(payloadOf(message)['state']);
  });
}

export function payloadOf(message: Message | undefined): Readonly<Record<string, unknown>> {
  return Object(message?.metadata?.['payload']);
}
