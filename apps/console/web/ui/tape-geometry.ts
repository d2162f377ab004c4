export interface TapeSpan {
  readonly from: string;
  readonly to: string;
}

export interface TapeGap extends TapeSpan {
  readonly reason: string;
}

export interface TapeRecording {
  readonly coverage: readonly TapeSpan[];
  readonly gaps: readonly TapeGap[];
}

/** A part of a tape. `start` and `size` are fractions of the tape's length, from 0 to 1. */
export interface Segment {
  readonly kind: 'recorded' | 'gap';
  readonly start: number;
  readonly size: number;
  readonly from: string;
  readonly to: string;
  readonly reason: string | null;
}

/** No gap is drawn narrower than this fraction of a tape, because a gap of a second in a day would be invisible. */
const MIN_GAP = 0.006;

/**
 * Returns the parts of a tape that lasts from `from` to `to`, without what lies outside. Gaps cover what is recorded, and are
 * wide enough to be seen.
 */
export function segmentsOf({ coverage, gaps }: TapeRecording, { from, to }: TapeSpan): Segment[] {
  const recorded = coverage.map((span) => segmentOf(span, { from, to }, null));
  const missing = gaps.map((gap) => widened(segmentOf(gap, { from, to }, gap.reason)));
  return [...recorded, ...missing].filter(({ size }) => size > 0);
}

export function timeAt(share: number, { from, to }: TapeSpan): string {
  const start = Date.parse(from);
  const within = Math.min(Math.max(share, 0), 1);
  return new Date(Math.round(start + (Date.parse(to) - start) * within)).toISOString();
}

export function shareOf(time: string, { from, to }: TapeSpan): number {
  const start = Date.parse(from);
  const length = Date.parse(to) - start;
  if (length <= 0) return 0;
  return Math.min(Math.max((Date.parse(time) - start) / length, 0), 1);
}

export function gapAt(gaps: readonly TapeGap[], time: string): TapeGap | undefined {
  const at = Date.parse(time);
  return gaps.find(({ from, to }) => at >= Date.parse(from) && at <= Date.parse(to));
}

export function lengthOf(spans: readonly TapeSpan[]): number {
  return spans.reduce(
    (sum, { from, to }) => sum + Math.max(Date.parse(to) - Date.parse(from), 0),
    0,
  );
}

function segmentOf(span: TapeSpan, tape: TapeSpan, reason: string | null): Segment {
  const start = shareOf(span.from, tape);
  const kind = reason === null ? 'recorded' : 'gap';
  return { ...span, kind, reason, start, size: shareOf(span.to, tape) - start };
}

function widened(segment: Segment): Segment {
  const isOutside = segment.size === 0 && (segment.start === 0 || segment.start === 1);
  if (isOutside || segment.size >= MIN_GAP) return segment;
  return { ...segment, size: MIN_GAP, start: Math.min(segment.start, 1 - MIN_GAP) };
}
