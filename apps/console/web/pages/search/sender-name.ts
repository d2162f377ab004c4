import type { Message } from '@session/contract';
import { participantName } from '../session/conversation/message-facts.ts';

export function senderName({ metadata, role }: Pick<Message, 'metadata' | 'role'>): string {
  const participant = metadata?.['participant'];
  if (typeof participant === 'object' && participant && 'identity' in participant) {
    const { identity } = participant;
    const name = 'name' in participant ? participant.name : '';
    if (typeof name === 'string' && typeof identity === 'string') {
      return participantName({ name, identity });
    }
  }
  return role === 'user' ? 'A person' : 'An agent';
}
