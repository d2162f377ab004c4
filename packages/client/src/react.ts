import type { FoldedState, MessageKind } from '@session/contract/room';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { Conversation } from './conversation/conversation.ts';
import type { ConversationMode, ConversationSnapshot } from './conversation/conversation-state.ts';
import type { Room } from './conversation/room.ts';
import type { Client } from './create-client.ts';
import { MountedConversation } from './react/mounted-conversation.ts';
import { Reading } from './react/reading.ts';
import { isBehind, stateAfter } from './react/session-state.ts';
import type { Agent } from './shapes.ts';
import type { DetachedSnapshot } from './timeline/snapshot.ts';

export { isBehind, stateAfter } from './react/session-state.ts';
export { isSpoken } from './timeline/known-metadata.ts';

const AGENTS_MS = 4000;
const STARTING_MS = 700;

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
const NONE = {
  subscribe: () => () => {},
  getSnapshot: () => IDLE,
  getDetachedSnapshot: () => undefined,
};

/**
 * Returns a conversation that is open while the component is mounted; undefined during the first render. Keep the room,
 * because another room creates another conversation: `useState(() => browserRoom())`. `mode` is the initial mode, `join` by
 * default.
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
  /** All kinds by default. */
  readonly kinds?: readonly MessageKind[] | undefined;
}

/** Returns the live end of a conversation. The component rerenders whenever it changes. */
export function useTimeline(
  conversation: Conversation | undefined,
  { kinds }: TimelineOptions = {},
): ConversationSnapshot {
  const { subscribe, getSnapshot } = conversation?.timeline ?? NONE;
  const snapshot = useSyncExternalStore(subscribe, getSnapshot, getSnapshot);
  return useOfKinds(snapshot, kinds);
}

/** Returns the part of the history that `conversation.at(time)` opened; undefined when there is none. */
export function useDetachedTimeline(
  conversation: Conversation | undefined,
  { kinds }: TimelineOptions = {},
): DetachedSnapshot | undefined {
  const { subscribe, getDetachedSnapshot } = conversation?.timeline ?? NONE;
  const snapshot = useSyncExternalStore(subscribe, getDetachedSnapshot, getDetachedSnapshot);
  return useOfKinds(snapshot, kinds);
}

/** Returns the state of a `browserRoom()` apart from its messages: participants, microphone, devices. */
export function useRoom<Snapshot>(room: {
  readonly subscribe: (listener: () => void) => () => void;
  readonly getSnapshot: () => Snapshot;
}): Snapshot {
  return useSyncExternalStore(room.subscribe, room.getSnapshot, room.getSnapshot);
}

interface ReadByHook {
  /** Why the last read failed; null if it succeeded. After a failure, the earlier value stays. */
  readonly error: unknown;
  readonly refresh: () => void;
}

export interface LiveState extends ReadByHook {
  /** Undefined until it has been read. */
  readonly state: Pick<FoldedState, 'plans' | 'agents'> | undefined;
}

/**
 * Returns the progress of a session's plans (the newest last) and what its agents last reported, whether stored or only
 * received.
 */
export function useSessionState(
  client: Client,
  sessionId: string,
  conversation: Conversation | undefined,
): LiveState {
  const reading = useMemo(
    () => new Reading<FoldedState>((signal) => client.sessions.getState(sessionId, { signal })),
    [client, sessionId],
  );
  const { value, error } = useReading(reading);
  const { items } = useTimeline(conversation);
  const isOld = value !== undefined && isBehind(value, items);
  useEffect(() => {
    if (isOld) reading.refresh();
  }, [isOld, reading]);
  const state = useMemo(() => value && stateAfter(value, items), [value, items]);
  return { state, error, refresh: reading.refresh };
}

export interface SessionAgents extends ReadByHook {
  /** The newest first; undefined until they have been read. */
  readonly agents: readonly Agent[] | undefined;
}

/**
 * Returns the agents of a session. They are read every four seconds, and more often while one starts. Call `refresh` after
 * you start or stop one. End users may not read them: `useRoom` shows the agents in the room.
 */
export function useAgents(client: Client, sessionId: string): SessionAgents {
  const reading = useMemo(() => {
    const read = async (signal: AbortSignal) =>
      (await client.agents.list(sessionId, { signal })).items;
    return new Reading(read, (agents = []) =>
      agents.some(({ status }) => status === 'Starting') ? STARTING_MS : AGENTS_MS,
    );
  }, [client, sessionId]);
  const { value, error } = useReading(reading);
  return { agents: value, error, refresh: reading.refresh };
}

function useReading<Value>({ subscribe, getSnapshot }: Reading<Value>) {
  return useSyncExternalStore(subscribe, getSnapshot, getSnapshot);
}

function useOfKinds<Snapshot extends Pick<DetachedSnapshot, 'items'> | undefined>(
  snapshot: Snapshot,
  kinds: readonly string[] | undefined,
): Snapshot {
  // A list that is written into the call is a new array at each render.
  const wanted = kinds?.join();
  return useMemo(() => {
    if (snapshot === undefined || wanted === undefined) return snapshot;
    const listed = wanted.split(',');
    return { ...snapshot, items: snapshot.items.filter(({ kind }) => listed.includes(kind)) };
  }, [snapshot, wanted]);
}
