import type { Statistics } from '@session/contract';
import { CardList } from '../../ui/card-list.tsx';
import { Section } from '../../ui/section.tsx';
import { StatusDot } from '../../ui/status-dot.tsx';
import { Time } from '../../ui/time.tsx';

type Recorder = Statistics['recorders'][number];

/** A smaller difference between clocks is not shown, because requests alone take some milliseconds. */
const CLOCK_MS = 100;

export function Recorders({ recorders }: { readonly recorders: readonly Recorder[] }) {
  return (
    <Section id="recorders" title="Recorders">
      {recorders.length === 0 ? (
        <p className="text-control text-ink-2">
          No recorder has one of your sessions now. The first one comes when a participant joins a
          session.
        </p>
      ) : (
        <CardList>
          {recorders.map((recorder) => (
            <RecorderRow key={recorder.id} recorder={recorder} />
          ))}
        </CardList>
      )}
    </Section>
  );
}

const TONES: ReadonlyMap<string, 'live' | 'starting' | 'warning'> = new Map([
  ['live', 'live'],
  ['draining', 'starting'],
  ['stale', 'warning'],
]);

const WORDS: ReadonlyMap<string, string> = new Map([
  ['live', 'Live'],
  ['draining', 'Draining: it hands its sessions over, then ends'],
  ['stale', 'Stale: it does not report any more'],
]);

function RecorderRow({ recorder }: { readonly recorder: Recorder }) {
  const { id, status, sessions, heartbeatAt, clockOffsetMs } = recorder;
  return (
    <li className="grid gap-x-6 gap-y-0.5 px-4 py-2.5 text-control sm:grid-cols-[minmax(0,1fr)_auto]">
      <code className="min-w-0 font-mono text-label leading-5 wrap-anywhere">{id}</code>
      <span className="inline-flex items-center gap-2 text-ink-2">
        <StatusDot tone={TONES.get(status) ?? 'starting'} />
        {WORDS.get(status) ?? status}
      </span>
      <span className="text-ink-3 text-label sm:col-span-2">
        {sessions === 1 ? '1 session' : `${sessions.toLocaleString('en')} sessions`} of yours · last
        report <Time at={heartbeatAt} />
        {clockText(clockOffsetMs)}
      </span>
    </li>
  );
}

function clockText(ms: number): string {
  if (Math.abs(ms) < CLOCK_MS) return '';
  const seconds = (Math.abs(ms) / 1000).toFixed(1);
  return ` · clock ${seconds} s ${ms > 0 ? 'ahead' : 'behind'}`;
}
