import { definitionIn } from './tool-settings.ts';

/** What the model may do to the conversation itself. */
export interface OwnToolSettings {
  readonly endConversation: boolean;
  readonly handover?: HandoverSettings | undefined;
}

/** How a conversation is handed over to a person. */
export interface HandoverSettings {
  /** What the agent says then; without it the model says so in its own words. */
  readonly say?: string | undefined;
  readonly waitMs: number;
}

/** Reads the variable `AGENT_DEFINITION`. Throws a StartError, which quotes no value. */
export function readOwnToolSettings(
  variables: Readonly<Record<string, string | undefined>>,
): OwnToolSettings {
  const { endConversation = false, handover } = definitionIn(variables) ?? {};
  if (!handover) return { endConversation };
  const { say, waitSeconds } = handover.persons;
  return { endConversation, handover: { say, waitMs: waitSeconds * 1000 } };
}
