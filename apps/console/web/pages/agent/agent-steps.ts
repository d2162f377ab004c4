import type { AgentTimeline } from '@session/contract';

type Step = AgentTimeline['items'][number];

export interface StepRow {
  readonly key: string;
  readonly label: string;
  readonly at: string;
  readonly sinceMs: number;
  /**
   * How long the step took, since the step before it. Null when that time was the conversation, or an external agent had not
   * been started yet.
   */
  readonly tookMs: number | null;
  readonly isSlow: boolean;
  readonly detail: string | null;
  /** Where the bar of the step begins and ends, from 0 to 1. A step without a duration is a point. */
  readonly from: number;
  readonly to: number;
}

const LABELS = new Map([
  ['requested', 'Requested'],
  ['admitted', 'Admitted'],
  ['scheduled', 'Scheduled'],
  ['started', 'Started'],
  ['joined', 'Joined'],
  ['first_words', 'First words'],
  ['left', 'Left'],
  ['crashed', 'Crashed'],
  ['restarting', 'Restarting'],
  ['stopped', 'Stopped'],
]);
const AWAITED = new Set(['admitted', 'scheduled', 'started', 'joined']);
/**
 * The time before these steps is the conversation, because an agent may wait for the user's first words, and then talk for
 * hours.
 */
const LIVED = new Set(['first_words', 'crashed', 'left', 'stopped']);
/** After these steps, an external agent joins whenever its owner starts it. */
const UNTIL_STARTED = new Set(['requested', 'left']);
const SLOW_MS = 3000;
/** The scale is logarithmic, because a start takes seconds, a conversation takes hours, and both must be visible. */
const SCALE_MS = 500;

export function stepRows(steps: readonly Step[]): StepRow[] {
  const times = steps.map(({ at }) => Date.parse(at));
  const first = times[0] ?? 0;
  const spanMs = Math.max(1, ...times.map((time) => time - first));
  const positionOf = (ms: number) => Math.log1p(ms / SCALE_MS) / Math.log1p(spanMs / SCALE_MS);
  return steps.map(({ event, at, detail }, index) => {
    const sinceMs = Math.max(0, (times[index] ?? first) - first);
    const previousMs = Math.max(0, (times[index - 1] ?? first) - first);
    const isLived =
      LIVED.has(event) || (event === 'joined' && UNTIL_STARTED.has(steps[index - 1]?.event ?? ''));
    const tookMs = isLived ? null : Math.max(0, sinceMs - previousMs);
    return {
      key: `${index}-${event}`,
      label: stepLabel(event),
      at,
      sinceMs,
      tookMs,
      isSlow: AWAITED.has(event) && tookMs !== null && tookMs >= SLOW_MS,
      detail: event === 'requested' || event === 'stopped' ? null : detail,
      from: positionOf(tookMs === null ? sinceMs : Math.min(previousMs, sinceMs)),
      to: positionOf(sinceMs),
    };
  });
}

function stepLabel(event: string): string {
  return LABELS.get(event) ?? event;
}
