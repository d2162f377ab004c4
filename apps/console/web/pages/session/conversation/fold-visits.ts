import type { TimelineItem } from '@session/client';
import { isNewDay, nameOf, senderOf } from './message-facts.ts';

export interface Row {
  readonly key: string;
  /** The message, or the first message of a run. */
  readonly item: TimelineItem;
  readonly visits?: readonly TimelineItem[];
  /** The message about the start of a tool call that has ended. It gets no row of its own. */
  readonly started?: TimelineItem;
}

const MIN_RUN = 3;
const VISITS: ReadonlySet<string> = new Set(['participant_joined', 'participant_left']);

/**
 * Returns the rows of a list, in which each run of at least `MIN_RUN` joins and leaves within a day is one row. A new run gets
 * the key of its last message, because an older page may put more messages before it, and must not move the reader. `runKeys`
 * are the keys that runs have had, so that a run keeps its key when it grows at its end.
 */
export function foldVisits(
  items: readonly TimelineItem[],
  runKeys = new Set<string>(),
): readonly Row[] {
  const rows: Row[] = [];
  let run: TimelineItem[] = [];
  const endRun = () => {
    const [first] = run;
    const last = run.at(-1);
    if (first && last && run.length >= MIN_RUN) {
      const { key } = run.find((visit) => runKeys.has(visit.key)) ?? last;
      runKeys.add(key);
      rows.push({ key, item: first, visits: run });
    } else rows.push(...run.map(rowOf));
    run = [];
  };
  for (const item of items) {
    const isVisit = VISITS.has(item.kind) && item.participant !== null;
    if (!isVisit || isNewDay(item, run.at(-1) ?? item)) endRun();
    if (isVisit) run.push(item);
    else rows.push(rowOf(item));
  }
  endRun();
  return rows;
}

export function keysOf({ item, visits = [], started }: Row): string[] {
  return [item, ...visits, ...(started ? [started] : [])].map(({ key }) => key);
}

export function shows(row: Row, key: string): boolean {
  return keysOf(row).includes(key);
}

/** Returns the result of a run of joins and leaves, with each participant once: *Ada came back twice, Ben left*. */
export function visitsText(visits: readonly TimelineItem[]): string {
  const senders = Map.groupBy(visits, senderOf);
  return [...senders.values()].map(outcomeOf).join(', ');
}

function outcomeOf(visits: readonly TimelineItem[]): string {
  const stays = [...Map.groupBy(visits, ({ participant }) => participant?.identity).values()];
  const wasThere = stays.some(([first]) => first?.kind === 'participant_left');
  const isThere = stays.some((stay) => stay.at(-1)?.kind === 'participant_joined');
  const name = visits[0] ? nameOf(visits[0]) : '';
  if (!wasThere) return `${name} ${isThere ? 'joined' : 'joined and left'}`;
  if (!isThere) return `${name} left`;
  const count = visits.filter(({ kind }) => kind === 'participant_left').length;
  return `${name} came back${count === 1 ? '' : count === 2 ? ' twice' : ` ${count} times`}`;
}

function rowOf(item: TimelineItem): Row {
  return { key: item.key, item };
}
