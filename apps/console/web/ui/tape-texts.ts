import { inWords } from './durations.ts';
import {
  gapAt,
  lengthOf,
  type TapeGap,
  type TapeRecording,
  type TapeSpan,
} from './tape-geometry.ts';
import { momentText } from './time-text.ts';

function reasonText(reason: string): string {
  return reason.replaceAll('_', ' ');
}

export function gapText({ from, to, reason }: TapeGap): string {
  return `Not recorded for ${inWords(lengthOf([{ from, to }]))}: ${reasonText(reason)}`;
}

export function gapsText(gaps: readonly TapeGap[]): string | undefined {
  if (gaps.length === 0) return undefined;
  const count = gaps.length === 1 ? '1 gap' : `${gaps.length} gaps`;
  return `${count}, ${inWords(lengthOf(gaps))} not recorded`;
}

export function tapeText({ coverage, gaps }: TapeRecording, { to }: TapeSpan): string {
  const first = coverage[0];
  if (!first) return gaps.length > 0 ? `${gapsText(gaps)}.` : 'Nothing is recorded yet.';
  const recorded = `Recorded from ${momentText(Date.parse(first.from))} to ${momentText(Date.parse(to))}`;
  return gaps.length > 0 ? `${recorded}; ${gapsText(gaps)}.` : `${recorded}, without a gap.`;
}

export function cursorText(time: string, { coverage, gaps }: TapeRecording): string {
  const at = Date.parse(time);
  const moment = momentText(at);
  const gap = gapAt(gaps, time);
  if (gap) return `${moment}, not recorded: ${reasonText(gap.reason)}`;
  const isRecorded = coverage.some(
    ({ from, to }) => at >= Date.parse(from) && at <= Date.parse(to),
  );
  return isRecorded ? moment : `${moment}, before the recording`;
}
