import type { Session } from '@session/contract';
import { useQuery } from '@tanstack/react-query';
import { useService } from '../../../service/service.ts';
import { Fact } from '../../../ui/fact.tsx';
import { Lamp } from '../../../ui/lamp.tsx';
import { recordingStatusOf } from '../../../ui/tape-span.ts';
import { gapText } from '../../../ui/tape-texts.ts';
import { TextLink } from '../../../ui/text-link.tsx';
import { Time } from '../../../ui/time.tsx';
import { momentText } from '../../../ui/time-text.ts';
import { statisticsQuery } from '../../monitoring/statistics-query.ts';
import { amountSentence, gapExplanation, statusSentence } from '../recording-sentences.ts';

const MAX_GAPS = 100;

export function RecordingPanel({ session }: { readonly session: Session }) {
  const { recording } = session;
  const { since, messageCount, lastMessageAt } = recording;
  const status = recordingStatusOf(session);
  return (
    <section aria-labelledby="recording" className="grid gap-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="recording" className="font-strong text-body">
          Recording
        </h2>
        <Lamp status={status} />
      </div>
      <div className="grid gap-1 text-control">
        <p className="text-ink">{statusSentence(status)}</p>
        <p className="text-ink-2">{amountSentence(recording)}</p>
      </div>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-control">
        <Fact name="Messages">
          <span className="tabular-nums">{messageCount.toLocaleString('en')}</span>
        </Fact>
        {lastMessageAt ? (
          <Fact name="The last one">
            <Time at={lastMessageAt} />
          </Fact>
        ) : null}
        {session.historyFrom ? (
          <Fact name="Deleted until">
            <Time at={session.historyFrom} />
          </Fact>
        ) : null}
        {since ? (
          <Fact name="Connected since">
            <Time at={since} />
          </Fact>
        ) : null}
        {session.status === 'ACTIVE' ? <Recorders sessionId={session.id} /> : null}
      </dl>
      <Gaps session={session} />
    </section>
  );
}

/** The API names the recorders of the newest 1,000 ACTIVE sessions only. */
function Recorders({ sessionId }: { readonly sessionId: string }) {
  const { client } = useService();
  const { data } = useQuery(statisticsQuery(client));
  const monitored = data?.monitored.find((candidate) => candidate.sessionId === sessionId);
  if (!monitored || monitored.recorderIds.length === 0) return null;
  return (
    <Fact name={monitored.recorderIds.length === 1 ? 'Recorder' : 'Recorders'}>
      <span className="font-mono text-label leading-5">{monitored.recorderIds.join(', ')}</span>
    </Fact>
  );
}

function Gaps({ session }: { readonly session: Session }) {
  const { gaps } = session.recording;
  if (gaps.length === 0) return null;
  const shown = gaps.slice(-MAX_GAPS).toReversed();
  return (
    <div className="grid gap-2">
      <h3 className="font-strong text-control">Gaps</h3>
      <ul className="grid gap-2">
        {shown.map(({ from, to, reason }) => (
          <li key={from} className="grid grid-cols-[6px_minmax(0,1fr)] gap-3">
            <span aria-hidden className="hatched rounded-control bg-gap-soft" />
            <span className="text-control text-ink-2">
              <TextLink
                to="/sessions/$sessionId"
                params={{ sessionId: session.id }}
                search={(search) => ({ ...search, at: from })}
              >
                {momentText(Date.parse(from))}
              </TextLink>
              <span className="block wrap-anywhere">{gapText({ from, to, reason })}.</span>
              <span className="block text-ink-3">{gapExplanation(reason)}</span>
            </span>
          </li>
        ))}
      </ul>
      {gaps.length > MAX_GAPS ? (
        <p className="text-ink-3 text-label">
          The newest {MAX_GAPS} of {gaps.length.toLocaleString('en')} gaps.
        </p>
      ) : null}
    </div>
  );
}
