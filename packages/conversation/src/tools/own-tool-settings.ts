import type { HandoverAgent } from '@session/contract/room';
import { definitionIn } from './tool-settings.ts';

/** What the model may do to the conversation itself. */
export interface OwnToolSettings {
  readonly endConversation: boolean;
  readonly handover?: HandoverSettings | undefined;
}

/** To whom a conversation may be handed over. */
export interface HandoverSettings {
  readonly persons?: PersonSettings | undefined;
  readonly agents: readonly SuccessorSettings[];
}

export interface PersonSettings {
  /** What the agent says then; without it the model says so in its own words. */
  readonly say?: string | undefined;
  readonly waitMs: number;
}

interface SuccessorSettings extends HandoverAgent {
  readonly description?: string | undefined;
}

/** Reads the variable `AGENT_DEFINITION`. Throws a StartError, which quotes no value. */
export function readOwnToolSettings(
  variables: Readonly<Record<string, string | undefined>>,
): OwnToolSettings {
  const { endConversation = false, handover } = definitionIn(variables) ?? {};
  if (!handover) return { endConversation };
  const { persons, agents } = handover;
  const asked = persons && { say: persons.say, waitMs: persons.waitSeconds * 1000 };
  return { endConversation, handover: { persons: asked, agents } };
}
