import { type Participant, senderOf } from '@session/contract/room';

/** Returns what identifies a sender, or null for an unknown one. */
export function senderKeyOf(participant: Pick<Participant, 'identity'> | null): string | null {
  return participant && senderOf(participant.identity);
}
