import type { ConversationSnapshot } from '@session/client';
import { useState } from 'react';
import { inWords } from '../../ui/durations.ts';
import { useNow } from '../../ui/use-now.ts';

type Connection = ConversationSnapshot['connection'];

// While the service itself is away, the frame of the page says so.
const TEXTS: ReadonlyMap<Connection, string> = new Map([
  [
    'reconnecting',
    'The connection to the room was lost. Coming back; what you write is sent anyway.',
  ],
]);
const STARTED_LATE_MS = 1000;

export function ConnectionLine({ connection }: { readonly connection: Connection }) {
  const text = TEXTS.get(connection);
  return text === undefined ? null : <CutOff key={connection} text={text} />;
}

function CutOff({ text }: { readonly text: string }) {
  const [since] = useState(() => Date.now());
  const ms = useNow('second') - since;
  return (
    <p className="flex items-center gap-2 bg-gap-soft px-4 py-1.5 text-control text-gap sm:px-6">
      <span
        aria-hidden
        className="size-2 shrink-0 animate-breathe rounded-full border-2 border-gap"
      />
      <output>{text}</output>
      {ms >= STARTED_LATE_MS && <span className="tabular-nums">{inWords(ms)}</span>}
    </p>
  );
}
