import { definitionIn } from './tool-settings.ts';

/** What the model may do to the conversation itself. */
export interface OwnToolSettings {
  readonly endConversation: boolean;
}

/** Reads the variable `AGENT_DEFINITION`. Throws a StartError, which quotes no value. */
export function readOwnToolSettings(
  variables: Readonly<Record<string, string | undefined>>,
): OwnToolSettings {
  const { endConversation = false } = definitionIn(variables) ?? {};
  return { endConversation };
}
