import type { LiveMessage } from '../../src/index.ts';
import { type Append, SESSION } from './history.ts';

export function participant(identity: string) {
  return { identity, name: '', sid: null, kind: 'standard' };
}

export function live(
  said: Pick<Append, 'id' | 'sender' | 'content'>,
  stage: LiveMessage['stage'],
): LiveMessage {
  const { id, sender, content } = said;
  const kind = 'text';
  const from = sender === null ? null : participant(sender);
  const metadata = { kind, participant: from, source: 'test', rawId: id } as const;
  const status = stage === 'final' ? 'complete' : 'pending';
  const rest = { role: 'user', status, kind, content, metadata, receivedAt: 0 } as const;
  return { message: { id, sessionId: SESSION, ...rest }, stage };
}
