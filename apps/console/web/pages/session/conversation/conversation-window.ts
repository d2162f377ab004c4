import type { Conversation, TimelineItem } from '@session/client';
import { useDetachedTimeline, useTimeline } from '@session/client/react';
import { useMemo, useState } from 'react';
import { foldVisits, type Row } from './fold-visits.ts';
import { foldToolCalls } from './tool-calls.ts';

export interface ConversationWindow {
  readonly items: readonly TimelineItem[];
  readonly rows: readonly Row[];
  readonly hasOlder: boolean;
  /** Whether the list is a part of the history away from the live end. If so, the history has later messages than the list. */
  readonly isDetached: boolean;
  readonly readOlder: () => void;
  readonly readNewer: () => void;
  readonly isReadingOlder: boolean;
  readonly error: unknown;
  readonly retry: () => void;
}

export function useConversationWindow(conversation: Conversation): ConversationWindow {
  const live = useTimeline(conversation);
  const detached = useDetachedTimeline(conversation);
  const older = usePageReader(() =>
    detached ? conversation.detachedOlder() : conversation.older(),
  );
  const newer = usePageReader(() => conversation.detachedNewer());
  const { items, hasOlder } = detached ?? live;
  const [runKeys] = useState(() => new Set<string>());
  return {
    items,
    rows: useMemo(() => foldToolCalls(foldVisits(items, runKeys)), [items, runKeys]),
    hasOlder,
    isDetached: detached !== undefined,
    readOlder: () => hasOlder && older.read(),
    readNewer: () => detached && newer.read(),
    isReadingOlder: older.isReading,
    error: older.error ?? newer.error,
    retry: () => {
      older.retry();
      newer.retry();
    },
  };
}

interface Reading {
  readonly isReading: boolean;
  readonly error: unknown;
}

function usePageReader(read: () => Promise<void>) {
  const [state, setState] = useState<Reading>({ isReading: false, error: null });
  const start = async () => {
    setState({ isReading: true, error: null });
    try {
      await read();
      setState({ isReading: false, error: null });
    } catch (error) {
      setState({ isReading: false, error });
    }
  };
  return {
    ...state,
    read: () => {
      if (!state.isReading && state.error === null) void start();
    },
    retry: () => {
      if (state.error !== null) void start();
    },
  };
}
