import type { MessageKind } from '@session/contract/room';
import { useMemo, useSyncExternalStore } from 'react';
import type { Conversation } from './conversation/conversation.ts';
import type { ConversationMode, ConversationSnapshot } from './conversation/conversation-state.ts';
import type { Room } from './conversation/room.ts';
import type { Client } from './create-client.ts';
import { MountedConversation } from './react/mounted-conversation.ts';

export { isSpoken } from './timeline/known-metadata.ts';

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

export interface TimelineOptions {
  /** The kinds of messages to return, such as `['text', 'transcript']` for words alone; all by default. */
  readonly kinds?: readonly MessageKind[] | undefined;
}

/** Returns the live end of a conversation. The component renders again whenever it changes. */
export function useTimeline(
  conversation: Conversation | undefined,
  { kinds }: TimelineOptions = {},
): ConversationSnapshot {
  const { subscribe, getSnapshot } = conversation?.timeline ?? NONE;
  const snapshot = useSyncExternalStore(subscribe, getSnapshot, getSnapshot);
  // A component may write the list into its call: it is another one at each render.
  const wanted = kinds?.join();
  return useMemo(() => withKinds(snapshot, wanted?.split(',')), [snapshot, wanted]);
}

function withKinds(
  snapshot: ConversationSnapshot,
  kinds: readonly string[] | undefined,
): ConversationSnapshot {
  if (!kinds) return snapshot;
  return { ...snapshot, items: snapshot.items.filter(({ kind }) => kinds.includes(kind)) };
}
