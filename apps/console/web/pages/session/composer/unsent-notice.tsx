import type { Conversation } from '@session/client';
import { useState } from 'react';
import { useService } from '../../../service/service.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import type { KeptWords, UnsentMessage } from './kept-words.ts';

interface UnsentNoticeProps {
  readonly conversation: Conversation;
  readonly sessionId: string;
  readonly kept: KeptWords;
}

/** Offers the messages that were not sent when this page was left. They are sent under their ids, so none is said twice. */
export function UnsentNotice({ conversation, sessionId, kept }: UnsentNoticeProps) {
  const { client } = useService();
  const [messages, setMessages] = useState(() => kept.unsent);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const stored = new Set(conversation.timeline.getSnapshot().items.map(({ id }) => id));
  const unsent = messages.filter(({ id }) => !stored.has(id));
  if (unsent.length === 0) return null;
  const forget = (done: readonly UnsentMessage[]) => {
    kept.forgetUnsent(done);
    const ids = new Set(done.map(({ id }) => id));
    setMessages((all) => all.filter(({ id }) => !ids.has(id)));
  };
  const send = async () => {
    setBusy(true);
    setError(null);
    try {
      for (const message of unsent) {
        await client.messages.say(sessionId, message, { idempotencyKey: message.id });
        forget([message]);
      }
      conversation.refresh();
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  };
  const count = unsent.length === 1 ? 'A message was' : `${unsent.length} messages were`;
  return (
    <div className="mb-2 rounded-card bg-gap-soft px-3 py-2 text-control">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <p className="min-w-40 flex-1">
          {count} not sent when you left this page:{' '}
          <q className="wrap-anywhere" dir="auto">
            {unsent[0]?.content.slice(0, 120)}
          </q>
        </p>
        <Button size="small" isBusy={isBusy} onClick={() => void send()}>
          Send now
        </Button>
        <Button size="small" variant="quiet" onClick={() => forget(unsent)}>
          Discard
        </Button>
      </div>
      <ErrorNotice error={error} className="mt-2" />
    </div>
  );
}
