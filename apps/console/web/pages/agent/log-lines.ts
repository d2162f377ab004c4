import type { AgentLogEvent } from '@session/client/admin';
import { readableLine } from './readable-line.ts';

export type LogRow = AgentLogEvent & {
  readonly key: number;
  /** The line as it is shown: empty where lines are missing. */
  readonly text: string;
};

export interface ShownLines {
  readonly rows: readonly LogRow[];
  /** How many rows this page has dropped at the beginning, because it keeps at most `MAX_ROWS`. */
  readonly dropped: number;
}

export const NO_LINES: ShownLines = { rows: [], dropped: 0 };

/** More lines than anybody reads in a browser. Copies and downloads contain only these rows. */
const MAX_ROWS = 50_000;

/**
 * Returns the rows with those of `events` added. Past the limit, a fifth of the rows is dropped at once, so that the list
 * rarely moves.
 */
export function withEvents(
  { rows, dropped }: ShownLines,
  events: readonly AgentLogEvent[],
): ShownLines {
  let key = (rows.at(-1)?.key ?? -1) + 1;
  const all = [...rows];
  for (const event of events) {
    all.push({ ...event, key, text: event.type === 'line' ? readableLine(event.line) : '' });
    key += 1;
  }
  const surplus = all.length > MAX_ROWS ? all.length - Math.floor(MAX_ROWS * 0.8) : 0;
  return { rows: all.slice(surplus), dropped: dropped + surplus };
}

export function matchingRows(rows: readonly LogRow[], search: string): readonly LogRow[] {
  const wanted = search.trim().toLowerCase();
  if (wanted === '') return rows;
  const contains = (text: string) => text.toLowerCase().includes(wanted);
  return rows.filter((row) => row.type === 'line' && (contains(row.text) || contains(row.line)));
}

export interface LinePart {
  readonly at: number;
  readonly text: string;
  readonly isMatch: boolean;
}

export function markedParts(line: string, search: string): readonly LinePart[] {
  const wanted = search.trim().toLowerCase();
  const folded = line.toLowerCase();
  // Folding can change a text's length, and then no index fits.
  if (wanted === '' || folded.length !== line.length)
    return [{ at: 0, text: line, isMatch: false }];
  const parts: LinePart[] = [];
  let from = 0;
  for (let at = folded.indexOf(wanted); at !== -1; at = folded.indexOf(wanted, from)) {
    if (at > from) parts.push({ at: from, text: line.slice(from, at), isMatch: false });
    from = at + wanted.length;
    parts.push({ at, text: line.slice(at, from), isMatch: true });
  }
  if (from < line.length) parts.push({ at: from, text: line.slice(from), isMatch: false });
  return parts;
}

export function logText(rows: readonly LogRow[]): string {
  return rows.map((row) => `${rowText(row)}\n`).join('');
}

function rowText(row: LogRow): string {
  return row.type === 'line' ? `${row.timestamp} ${row.line}` : `— ${gapText(row.lines)} —`;
}

export function gapText(lines: number): string {
  return lines === 1
    ? '1 line is no longer kept'
    : `${lines.toLocaleString('en')} lines are no longer kept`;
}
