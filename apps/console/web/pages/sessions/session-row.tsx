import type { ListedSession } from '@session/contract';
import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { StatusDot } from '../../ui/status-dot.tsx';
import type { TapeRecording, TapeSpan } from '../../ui/tape-geometry.ts';
import { isRecorded, tapeSpan } from '../../ui/tape-span.ts';
import { TapeStrip } from '../../ui/tape-strip.tsx';
import { tapeText } from '../../ui/tape-texts.ts';
import { Duration, Time } from '../../ui/time.tsx';
import { useNow } from '../../ui/use-now.ts';
import { roleTitle } from './role-title.ts';
import { SessionDot } from './session-dot.tsx';
import { SessionMenu } from './session-menu.tsx';

/** Memoised, so that a page that arrives does not render the rows of other pages again. */
export const SessionRow = memo(({ session }: { readonly session: ListedSession }) => {
  const { id, name, createdAt, closedAt, updatedAt, lastMessage, recording } = session;
  const newest = lastMessage?.timestamp ?? recording.lastMessageAt ?? closedAt ?? updatedAt;
  return (
    <li className="relative grid list-row grid-cols-[auto_minmax(0,1fr)_auto] items-start gap-x-3 gap-y-0.5 px-4 py-3 transition-colors hover:bg-sunken/70 sm:grid-cols-[auto_minmax(0,1fr)_152px_72px_auto] sm:gap-x-4 sm:pr-2">
      <span className="flex h-6 items-center">
        <SessionDot status={session.status} />
      </span>
      <div className="grid min-w-0 gap-0.5">
        <h3 className="min-w-0 font-medium text-body">
          <Link
            to="/sessions/$sessionId"
            params={{ sessionId: id }}
            className="block truncate after:absolute after:inset-0"
          >
            {name}
          </Link>
        </h3>
        <p
          className={`truncate text-control ${lastMessage ? 'text-ink-2' : 'text-ink-3'}`}
          dir="auto"
        >
          {lastMessage?.content ?? 'Nothing said yet'}
        </p>
      </div>
      <div className="col-span-full col-start-2 row-start-2 grid min-w-0 gap-0.5 sm:col-span-1 sm:col-start-3 sm:row-start-1">
        <div className="flex h-6 min-w-0 items-center gap-1.5">
          <Agents session={session} />
          <span className="ml-auto text-control text-ink-3 sm:hidden">
            <Time at={newest} />
          </span>
        </div>
        <div className="flex h-5 items-center">
          <RowTape session={session} />
        </div>
      </div>
      <div className="hidden justify-items-end gap-0.5 text-control text-ink-3 sm:grid">
        <span className="flex h-6 items-center">
          <Duration from={createdAt} to={closedAt} />
        </span>
        <Time at={newest} />
      </div>
      <div className="relative row-start-1 self-center max-sm:col-start-3 max-sm:-mr-2 max-sm:self-start sm:row-start-auto">
        <SessionMenu session={session} />
      </div>
    </li>
  );
});
SessionRow.displayName = 'SessionRow';

function Agents({ session: { agents, status } }: { readonly session: ListedSession }) {
  if (status !== 'ACTIVE') return <Quiet>{status === 'CLOSED' ? 'closed' : status}</Quiet>;
  const [first, ...others] = agents;
  if (!first) return <Quiet>no agent</Quiet>;
  return (
    <>
      <span className="min-w-0 truncate text-control text-ink-2">{roleTitle(first.role)}</span>
      <StatusDot
        tone={first.status === 'Running' ? 'live' : 'starting'}
        {...(isKnown(first.status) && { label: first.status })}
      />
      {isKnown(first.status) ? null : <Quiet>{first.status}</Quiet>}
      {others.length ? <Badge>+{others.length}</Badge> : null}
    </>
  );
}

function isKnown(status: string): boolean {
  return status === 'Running' || status === 'Starting';
}

function Quiet({ children }: { readonly children: string }) {
  return <span className="min-w-0 truncate text-control text-ink-3">{children}</span>;
}

function RowTape({ session }: { readonly session: ListedSession }) {
  const span = tapeSpan(session, useNow());
  return <MiniTape recording={session.recording} span={span} isLive={isRecorded(session)} />;
}

interface MiniTapeProps {
  readonly recording: TapeRecording;
  readonly span: TapeSpan;
  readonly isLive: boolean;
}

function MiniTape({ recording, span, isLive }: MiniTapeProps) {
  return (
    <span className="block w-full">
      <TapeStrip recording={recording} span={span} isLive={isLive} height={4} />
      <span className="sr-only">{tapeText(recording, span)}</span>
    </span>
  );
}
