import type { Statistics } from '@session/contract';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { CardList } from '../../ui/card-list.tsx';
import { Lamp } from '../../ui/lamp.tsx';
import { Section } from '../../ui/section.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';

type Monitored = Statistics['monitored'][number];

const STEP = 100;
/** How many sessions the API lists, of all projects together. */
const NAMED = 1000;
const ORDER = ['lost', 'reconnecting', 'waiting'];

export function MonitoredSessions({ sessions }: { readonly sessions: readonly Monitored[] }) {
  const [limit, setLimit] = useState(STEP);
  const sorted = sessions.toSorted((a, b) => rankOf(a) - rankOf(b));
  return (
    <Section id="monitored" title="Active sessions of this project">
      {sorted.length === 0 ? (
        <p className="text-control text-ink-2">
          None now. An open session stands here with its recorder and its last message.
        </p>
      ) : (
        <CardList>
          {sorted.slice(0, limit).map((session) => (
            <MonitoredRow key={session.sessionId} session={session} />
          ))}
        </CardList>
      )}
      {sorted.length > limit ? (
        <div>
          <Button size="small" onClick={() => setLimit(limit + STEP)}>
            Show {Math.min(STEP, sorted.length - limit)} more
          </Button>
        </div>
      ) : null}
      {sorted.length > 0 ? (
        <p className="text-ink-3 text-label">
          Of the newest {NAMED.toLocaleString('en')} active sessions of all your projects.
        </p>
      ) : null}
    </Section>
  );
}

function MonitoredRow({ session }: { readonly session: Monitored }) {
  const { sessionId, name, status, recorderIds, messageCount, lastMessageAt } = session;
  const { connectedSince, reconnectAttempts } = session;
  return (
    <li className="grid gap-x-6 gap-y-0.5 px-4 py-2.5 text-control sm:grid-cols-[minmax(0,1fr)_auto]">
      <TextLink
        to="/sessions/$sessionId"
        params={{ sessionId }}
        search={{ panel: 'recording' }}
        className="min-w-0 justify-self-start wrap-anywhere"
      >
        {name}
      </TextLink>
      <Lamp status={status} />
      <span className="text-ink-3 text-label wrap-anywhere sm:col-span-2">
        {messageCount === 1 ? '1 message' : `${messageCount.toLocaleString('en')} messages`}
        {lastMessageAt ? (
          <>
            , the last one <Time at={lastMessageAt} />
          </>
        ) : null}
        {connectedSince ? (
          <>
            {' '}
            · connected since <Time at={connectedSince} />
          </>
        ) : null}
        {reconnectAttempts > 0 ? ` · ${reconnectAttempts} reconnects` : ''}
        {recorderIds.length > 0 ? (
          <>
            {' '}
            · <code className="font-mono">{recorderIds.join(', ')}</code>
          </>
        ) : null}
      </span>
    </li>
  );
}

function rankOf({ status }: Monitored): number {
  const rank = ORDER.indexOf(status);
  return rank === -1 ? ORDER.length : rank;
}
