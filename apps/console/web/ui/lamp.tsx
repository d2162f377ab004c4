import { classNames } from './class-names.ts';

const LAMPS = new Map([
  ['waiting', { word: 'Not recording yet', tone: 'text-ink-3' }],
  ['recording', { word: 'Recording', tone: 'text-tally' }],
  ['reconnecting', { word: 'Recorder reconnecting', tone: 'text-gap' }],
  ['lost', { word: 'Not recorded', tone: 'text-gap' }],
  ['finishing', { word: 'Finishing the recording', tone: 'text-ink-3' }],
  ['ended', { word: 'Recording ended', tone: 'text-ink-3' }],
]);

interface LampProps {
  /** A session’s recording, as `recordingStatusOf` returns it. */
  readonly status: string;
}

/** The tally lamp of a session's recording. Only `recording` is filled and red. */
export function Lamp({ status }: LampProps) {
  const { word, tone } = LAMPS.get(status) ?? { word: status, tone: 'text-ink-3' };
  return (
    <span
      className={classNames(
        'inline-flex items-center gap-1.5 font-medium text-label whitespace-nowrap',
        tone,
      )}
    >
      <svg aria-hidden="true" viewBox="0 0 12 12" className="size-3 shrink-0">
        <LampShape status={status} />
      </svg>
      <span>{word}</span>
    </span>
  );
}

function LampShape({ status }: { readonly status: string }) {
  if (status === 'recording') return <circle cx="6" cy="6" r="4.5" fill="currentColor" />;
  const ring = <circle cx="6" cy="6" r="4" fill="none" stroke="currentColor" strokeWidth="1.5" />;
  if (status !== 'lost') return ring;
  return (
    <>
      {ring}
      <path d="M2 10 10 2" stroke="currentColor" strokeWidth="1.5" />
    </>
  );
}
