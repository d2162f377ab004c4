import { type Participant, senderOf } from '@session/contract/room';

export function senderKeyOf(participant: Pick<Participant, 'identity'> | null): string | null {
  return participant && senderOf(participant.identity);
}
