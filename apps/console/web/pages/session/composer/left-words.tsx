import type { Conversation } from '@session/client';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { useKeptWords } from './kept-words.ts';

interface LeftWordsProps {
  readonly conversation: Conversation;
  readonly userId: string;
  readonly sessionId: string;
}

/** Shows the unsent words of the user in a closed session, until the user discards them. */
export function LeftWords({ conversation, userId, sessionId }: LeftWordsProps) {
  const kept = useKeptWords(conversation, userId, sessionId);
  const [{ draft, messages }, setWords] = useState(() => ({
    draft: kept.draft,
    messages: kept.unsent,
  }));
  const shown = new Set(conversation.timeline.getSnapshot().items.map(({ id }) => id));
  const unsent = messages.filter(({ id }) => !shown.has(id));
  const words = [...unsent.map(({ content }) => content), draft].join('\n').trim();
  if (words === '') return null;
  const discard = () => {
    kept.keepDraft('');
    kept.forgetUnsent(unsent);
    setWords({ draft: '', messages: [] });
  };
  return (
    <div className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-card bg-gap-soft px-3 py-2 text-control">
      <p role="alert" className="min-w-40 flex-1">
        Not confirmed before the session was closed:{' '}
        <q className="line-clamp-6 whitespace-pre-wrap wrap-anywhere" dir="auto">
          {words}
        </q>
      </p>
      <CopyButton text={words} />
      <Button size="small" variant="quiet" onClick={discard}>
        Discard
      </Button>
    </div>
  );
}
