import type { TimelineItem } from '@session/client';
import type { Row } from './fold-visits.ts';

export interface ToolReport {
  readonly tool: string;
  /** An unknown state of a newer agent is kept as it is. */
  readonly state: string;
  readonly durationMs: number | null;
  readonly status: number | null;
  /** Undefined where they are not recorded. */
  readonly arguments: string | undefined;
  readonly result: string | undefined;
  readonly isCut: boolean;
}

const STATES: ReadonlyMap<string, string> = new Map([
  ['started', 'Started'],
  ['done', 'Done'],
  ['failed', 'Failed'],
  ['cancelled', 'Cancelled'],
  ['timeout', 'Timed out'],
]);

export function toolStateText({ state }: ToolReport): string {
  return STATES.get(state) ?? state;
}

/** Returns the call that a message reports, completed from the message about its start; undefined if it reports none. */
export function toolCallOf(item: TimelineItem, started?: TimelineItem): ToolReport | undefined {
  const fields = fieldsOf(item);
  const { tool, state, durationMs, status, truncated } = fields ?? {};
  if (typeof tool !== 'string' || typeof state !== 'string') return undefined;
  const given = fields?.['arguments'] ?? (started && fieldsOf(started)?.['arguments']);
  const result = fields?.['result'];
  return {
    tool,
    state,
    durationMs: typeof durationMs === 'number' ? durationMs : null,
    status: typeof status === 'number' ? status : null,
    arguments: given === undefined ? undefined : codeOf(given),
    result: result === undefined ? undefined : resultText(result),
    isCut: truncated === true,
  };
}

/** Returns the rows with the start of each ended call folded into the row of its end, which keeps its place and key. */
export function foldToolCalls(rows: readonly Row[]): readonly Row[] {
  const open = new Map<string, Row>();
  const starts = new Map<Row, Row>();
  for (const row of rows) {
    const key = callKey(row.item);
    if (key === undefined) continue;
    const start = open.get(key);
    if (isStart(row.item)) open.set(key, row);
    else if (start) {
      starts.set(row, start);
      open.delete(key);
    }
  }
  if (starts.size === 0) return rows;
  const folded = new Set(starts.values());
  return rows
    .filter((row) => !folded.has(row))
    .map((row) => {
      const start = starts.get(row);
      return start ? { ...row, started: start.item } : row;
    });
}

/** Returns a key with the agent's identity: agents name their calls, and two agents may use the same name. */
function callKey(item: TimelineItem): string | undefined {
  const call = fieldsOf(item)?.['call'];
  return typeof call === 'string' ? `${item.participant?.identity} ${call}` : undefined;
}

function isStart(item: TimelineItem): boolean {
  return fieldsOf(item)?.['state'] === 'started';
}

function fieldsOf({ kind, metadata }: TimelineItem): Record<string, unknown> | undefined {
  const payload = kind === 'tool_call' ? metadata?.['payload'] : undefined;
  return isFields(payload) ? payload : undefined;
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** JSON with a number that a page would round is shown unparsed. */
const LONG_NUMBER = /\d{16}/;

function resultText(result: unknown): string {
  if (typeof result !== 'string') return codeOf(result);
  if (LONG_NUMBER.test(result)) return result;
  try {
    const value: unknown = JSON.parse(result);
    return isFields(value) ? codeOf(value) : result;
  } catch {
    return result;
  }
}

function codeOf(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
