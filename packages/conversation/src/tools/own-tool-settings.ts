import type { HandoverAgent } from '@session/contract/room';
import { definitionIn } from './tool-settings.ts';

export interface OwnToolSettings {
  readonly endConversation: boolean;
  readonly handover?: HandoverSettings | undefined;
  /** The name of the agent template, by which people address the agent. */
  readonly name?: string | undefined;
  readonly isNamedOnly?: boolean;
}

export interface HandoverSettings {
  readonly persons?: PersonSettings | undefined;
  readonly agents: readonly SuccessorSettings[];
}

export interface PersonSettings {
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
  const definition = definitionIn(variables);
  const { endConversation = false, handover, answers, name } = definition ?? {};
  const own = { endConversation, name, isNamedOnly: answers === 'named' };
  if (!handover) return own;
  const { persons, agents } = handover;
  const asked = persons && { say: persons.say, waitMs: persons.waitSeconds * 1000 };
  return { ...own, handover: { persons: asked, agents } };
}
