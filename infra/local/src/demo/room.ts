import { decode, isAgent } from '@session/contract/room';
import { joinRoom } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import type { SpokenMessage } from './compare-with-history.ts';

export interface DemoRoom extends AsyncDisposable {
  readonly messages: readonly SpokenMessage[];
  say(content: string): Promise<void>;
}

/**
 * Joins a room, and calls `onMessage` for each message, with the id that the history will give it. Throws
 * `media_unavailable`.
 */
export async function joinDemoRoom(
  access: { readonly url: string; readonly token: string; readonly sessionId: string },
  name: string,
  onMessage: (message: { id: string; name: string; content: string }) => void,
): Promise<DemoRoom> {
  const { url, token, sessionId } = access;
  const messages: SpokenMessage[] = [];
  const room = await joinRoom({
    url,
    token,
    onEvent(event) {
      const decoded = decode(event, { sessionId, newId: uuidv7 });
      if (decoded.outcome !== 'store') return;
      const { id, role, content, metadata } = decoded.message;
      const { participant } = metadata;
      const sender = role === 'system' ? '' : (participant?.name ?? 'unknown');
      onMessage({ id, name: sender, content });
      if (role === 'system' || !participant) return;
      const { identity } = participant;
      messages.push({ id, identity, name: sender, isAgent: isAgent(participant), content });
    },
  });
  return {
    messages,
    async say(content) {
      const own = { id: uuidv7(), identity: room.identity, name, isAgent: false, content };
      messages.push(own);
      onMessage(own);
      await room.sendPacket({ type: 'user_text', data: content, id: own.id });
    },
    [Symbol.asyncDispose]: () => room.leave(),
  };
}
