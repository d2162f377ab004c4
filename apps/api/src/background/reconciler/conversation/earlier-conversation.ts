import type { PlanState } from '@session/contract/room';
import type { LiveAgentRow, MessageQueries } from '@session/db';
import { foldedState } from '../../../features/sessions/folded-state.ts';
import { conversationVariable, MAX_HISTORY_BYTES, MAX_LINES } from './conversation-variable.ts';

/** What an agent gets to know of the conversation before its start. */
interface EarlierConversation {
  /** The variable `CONVERSATION`: secret, because people said it. Undefined where nothing was said yet. */
  readonly variable: string | undefined;
  /** When the last word was stored that is in it, ISO 8601. Undefined where there is none. */
  readonly lastWordAt: string | undefined;
}

/** Reads the conversation before the start of an agent, with one statement, or two for an agent with a plan. */
export async function earlierConversation(
  { sessionId, planId }: Pick<LiveAgentRow, 'planId' | 'sessionId'>,
  messages: Pick<MessageQueries, 'listNewestWords' | 'listStateMessages'>,
): Promise<EarlierConversation> {
  const words = await messages.listNewestWords({
    sessionId,
    limit: MAX_LINES + 1,
    // More than a history has: a word that is cut here is marked as cut there.
    characters: MAX_HISTORY_BYTES + 1,
  });
  const readPlan = async (): Promise<PlanState | undefined> => {
    const { plans } = foldedState(await messages.listStateMessages(sessionId));
    return plans.find(({ id }) => id === planId);
  };
  const plan = planId === null ? undefined : await readPlan();
  return {
    variable: conversationVariable(sessionId, words, plan),
    lastWordAt: words[0]?.timestamp,
  };
}
