import { decode, isAgent } from '@session/contract/room';
import { joinRoom } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import type { SpokenMessage } from './compare-with-history.ts';

/** A session's room, as a person is in it. */
export interface DemoRoom extends AsyncDisposable {
  /** All that was said so far, in the order in which this person heard it. */
  readonly words: readonly SpokenMessage[];
  say(content: string): Promise<void>;
}

/**
 * Joins a room as `name`, and tells each line of what happens there, as it happens, with the id under which it is to be
 * stored. Throws `media_unavailable`.
 */
export async function joinDemoRoom(
  access: { readonly url: string; readonly token: string; readonly sessionId: string },
  name: string,
  tell: (line: { id: string; name: string; content: string }) => void,
): Promise<DemoRoom> {
  const { url, token, sessionId } = access;
  const words: SpokenMessage[] = [];
  const room = await joinRoom({
    url,
    token,
    onEvent(event) {
      const decoded = decode(event, { sessionId, newId: uuidv7 });
      if (decoded.outcome !== 'record') return;
      const { id, role, content, metadata } = decoded.message;
      const { participant } = metadata;
      const speaker = role === 'system' ? '' : (participant?.name ?? 'somebody');
      tell({ id, name: speaker, content });
      if (role === 'system' || !participant) return;
      const { identity } = participant;
      words.push({ id, identity, name: speaker, isAgent: isAgent(participant), content });
    },
  });
  return {
    words,
    async say(content) {
      const own = { id: uuidv7(), identity: room.identity, name, isAgent: false, content };
      words.push(own);
      tell(own);
      await room.sendPacket({ type: 'user_text', data: content, id: own.id });
    },
    [Symbol.asyncDispose]: () => room.leave(),
  };
}
