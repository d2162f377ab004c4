import { useMemo, useSyncExternalStore } from 'react';
import type { Conversation } from './conversation/conversation.ts';
import type { ConversationMode, ConversationSnapshot } from './conversation/conversation-state.ts';
import type { Room } from './conversation/room.ts';
import type { Client } from './create-client.ts';
import { MountedConversation } from './react/mounted-conversation.ts';

const IDLE: ConversationSnapshot = {
  items: [],
  hasOlder: false,
  unseen: 0,
  catchingUp: true,
  loadingOlder: false,
  isLoaded: false,
  connection: 'idle',
  mode: 'history',
  error: null,
};
const NONE = { subscribe: () => () => {}, getSnapshot: () => IDLE };

/**
 * Returns a conversation in a session: open while the component is mounted, and closed after that. Undefined during the first
 * render. Another client, session or room makes another conversation, so keep the room: `useState(() => browserRoom())`. `mode` is
 * how it begins: `join` by default.
 */
export function useConversation(
  client: Client,
  sessionId: string,
  room?: Room,
  mode?: ConversationMode,
): Conversation | undefined {
  const mounted = useMemo(
    () => new MountedConversation(() => client.conversation(sessionId, { room, mode })),
    [client, sessionId, room, mode],
  );
  return useSyncExternalStore(mounted.subscribe, mounted.getSnapshot, mounted.getSnapshot);
}

/** Returns the live end of a conversation. The component renders again whenever it changes. */
export function useTimeline(conversation: Conversation | undefined): ConversationSnapshot {
  const { subscribe, getSnapshot } = conversation?.timeline ?? NONE;
  return useSyncExternalStore(subscribe, getSnapshot, getSnapshot);
}
