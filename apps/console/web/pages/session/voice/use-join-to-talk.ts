import type { Conversation } from '@session/client';
import type { BrowserRoom } from '@session/client/browser';
import { useEffect } from 'react';
import { useRoom } from '../use-room.ts';

/** Joins the room when the microphone opens. One that is denied leaves the user outside. */
export function useJoinToTalk(conversation: Conversation, room: BrowserRoom): void {
  const { microphone } = useRoom(room);
  const isOpen = microphone === 'on' || microphone === 'muted';
  useEffect(() => {
    // A conversation that was refused is closed.
    if (isOpen && !conversation.timeline.getSnapshot().error) conversation.setMode('join');
  }, [isOpen, conversation]);
}
