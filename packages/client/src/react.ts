import { useSyncExternalStore } from 'react';
import type { Conversation } from './conversation/conversation.ts';
import type { ConversationSnapshot } from './conversation/conversation-state.ts';

/** Returns the live end of a conversation. The component renders again whenever it changes. */
export function useTimeline({ timeline }: Conversation): ConversationSnapshot {
  return useSyncExternalStore(timeline.subscribe, timeline.getSnapshot);
}
