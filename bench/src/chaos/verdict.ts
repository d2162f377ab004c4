/** Something that a talker said: no two have the same words. */
export interface Heard {
  /** Null when it was said without one: then each who hears it gives it another. */
  readonly id: string | null;
  readonly words: string;
  /** Milliseconds since the epoch, on a clock that talkers and listener share. */
  readonly saidAt: number;
  readonly heardAt: number;
}

/** What the history has, oldest first. */
interface Stored {
  readonly id: string;
  readonly words: string;
}

interface Gap {
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
}

/** One session: what was said in its room, what an independent listener heard, and what the history says. */
export interface Evidence {
  /** In the order in which it was said by one talker on one channel of the room, which is the order that LiveKit keeps. */
  readonly said: Readonly<Record<string, readonly string[]>>;
  readonly heard: readonly Heard[];
  /** The ids of what the API has answered for with a 201. */
  readonly accepted: readonly string[];
  readonly stored: readonly Stored[];
  readonly gaps: readonly Gap[];
  /** The gaps as the history's messages tell them. */
  readonly toldGaps: readonly Gap[];
}

export interface Verdict {
  readonly heard: number;
  readonly stored: number;
  /** Heard, not stored, and the history says so. */
  readonly inGaps: number;
  readonly gaps: number;
  readonly gapMs: number;
  /** What must not be, one line for each: nothing when the promise is kept. */
  readonly faults: readonly string[];
}

/** A gap's bounds are true to a second on either side. */
const TOLERANCE_MS = 1000;

/** Compares what was heard with what is stored. */
export function judge(evidence: Evidence): Verdict {
  const { heard, stored, gaps } = evidence;
  const said = new Set(Object.values(evidence.said).flat());
  const ids = new Set(stored.map(({ id }) => id));
  const known = new Set(stored.map(({ words }) => words));
  const missing = heard.filter(({ id, words }) => !(id === null ? known.has(words) : ids.has(id)));
  const lost = missing.filter((one) => !gaps.some((gap) => excuses(gap, one)));
  return {
    heard: heard.length,
    stored: stored.length,
    inGaps: missing.length - lost.length,
    gaps: gaps.length,
    gapMs: gaps.reduce((before, { from, to }) => before + to - from, 0),
    faults: [
      ...lost.map(({ words, heardAt }) => `lost: ${words} (${new Date(heardAt).toISOString()})`),
      ...evidence.accepted.filter((id) => !ids.has(id)).map((id) => `accepted and lost: ${id}`),
      ...doubled(stored).map((words) => `doubled: ${words}`),
      ...stored.flatMap(({ words }) => (said.has(words) ? [] : [`never said: ${words}`])),
      ...disordered(evidence).map((words) => `out of order: ${words}`),
      ...untold(evidence).map(({ from }) => `gap not told: ${new Date(from).toISOString()}`),
    ],
  };
}

/** Adds up the verdicts on several sessions. */
export function sum(verdicts: readonly Verdict[]): Verdict {
  const total = (count: (verdict: Verdict) => number) =>
    verdicts.reduce((before, verdict) => before + count(verdict), 0);
  return {
    heard: total(({ heard }) => heard),
    stored: total(({ stored }) => stored),
    inGaps: total(({ inGaps }) => inGaps),
    gaps: total(({ gaps }) => gaps),
    gapMs: total(({ gapMs }) => gapMs),
    faults: verdicts.flatMap(({ faults }) => faults),
  };
}

/**
 * Whether a recorder may have missed it in that gap. When the server gave it to whom, nobody knows: after it was said,
 * and, for the listener, before they heard it. A server that was frozen may keep it for the one longer than for the other.
 */
function excuses({ from, to }: Gap, { saidAt, heardAt }: Heard): boolean {
  return heardAt >= from - TOLERANCE_MS && saidAt <= to + TOLERANCE_MS;
}

function doubled(stored: readonly Stored[]): string[] {
  const seen = new Set<string>();
  return stored.flatMap(({ words }) => (seen.size === seen.add(words).size ? [words] : []));
}

/** Those that stand in the history before something that the same talker said before them. */
function disordered({ said, stored }: Evidence): string[] {
  const places = new Map(stored.map(({ words }, place) => [words, place]));
  return Object.values(said).flatMap((line) => {
    let newest = -1;
    return line.filter((words) => {
      const place = places.get(words) ?? newest;
      const isLate = place < newest;
      newest = Math.max(newest, place);
      return isLate;
    });
  });
}

/** Gaps that only the session or only its history knows. */
function untold({ gaps, toldGaps }: Evidence): Gap[] {
  const without = (some: readonly Gap[], others: readonly Gap[]) =>
    some.filter(({ from }) => !others.some((other) => other.from === from));
  return [...without(gaps, toldGaps), ...without(toldGaps, gaps)];
}
