import { durationText, inWords } from './durations.ts';
import { absoluteText, timeText } from './time-text.ts';
import { useNow } from './use-now.ts';

interface TimeProps {
  readonly at: string;
}

export function Time({ at }: TimeProps) {
  const now = useNow();
  const time = Date.parse(at);
  return (
    <time dateTime={at} title={absoluteText(time)} className="tabular-nums whitespace-nowrap">
      {timeText(time, now)}
    </time>
  );
}

interface DurationProps {
  readonly from: string;
  readonly to: string | null;
}

export function Duration({ from, to }: DurationProps) {
  return to === null ? (
    <RunningDuration from={from} />
  ) : (
    <FixedDuration ms={Date.parse(to) - Date.parse(from)} />
  );
}

function RunningDuration({ from }: { readonly from: string }) {
  return <FixedDuration ms={useNow('second') - Date.parse(from)} />;
}

function FixedDuration({ ms }: { readonly ms: number }) {
  return (
    <span className="tabular-nums whitespace-nowrap">
      <span aria-hidden>{durationText(ms)}</span>
      <span className="sr-only">{inWords(ms)}</span>
    </span>
  );
}
