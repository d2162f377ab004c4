import type { Message } from '@session/contract';
import { isFields } from '@session/contract/room';
import { participantName } from '../session/conversation/message-facts.ts';

/** Returns who said a message that was found, by the name at that time. */
export function senderName({ metadata, role }: Pick<Message, 'metadata' | 'role'>): string {
  const { name, identity } = isFields(metadata?.['participant']) ? metadata['participant'] : {};
  if (typeof name === 'string' && typeof identity === 'string') {
    return participantName({ name, identity });
  }
  return role === 'user' ? 'A person' : 'An agent';
}
