import type { RoomParticipant } from '@session/client/browser';

/** Returns each person and agent once: someone with two tabs is in the room twice. */
export function peopleOf(participants: readonly RoomParticipant[]): RoomParticipant[] {
  const bySender = Map.groupBy(participants, ({ sender }) => sender);
  return [...bySender.values()].flatMap((tabs) => {
    const [first] = tabs;
    if (!first) return [];
    return {
      ...first,
      isLocal: tabs.some(({ isLocal }) => isLocal),
      isSpeaking: tabs.some(({ isSpeaking }) => isSpeaking),
      isMuted: tabs.every(({ isMuted }) => isMuted),
    };
  });
}
