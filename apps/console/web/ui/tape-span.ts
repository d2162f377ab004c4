import type { TapeRecording, TapeSpan } from './tape-geometry.ts';

interface TapeSession {
  readonly createdAt: string;
  readonly closedAt: string | null;
  readonly recording: TapeRecording & { readonly status: string };
}

const UNFINISHED: ReadonlySet<string> = new Set(['waiting', 'recording', 'reconnecting', 'lost']);

/** Returns how a session is recorded: its `recording.status`, or `finishing` while the recorder of a closed session ends its work. */
export function recordingStatusOf({
  closedAt,
  recording: { status },
}: {
  readonly closedAt: string | null;
  readonly recording: { readonly status: string };
}): string {
  return closedAt !== null && UNFINISHED.has(status) ? 'finishing' : status;
}

export function isRecorded({ closedAt, recording }: TapeSession): boolean {
  return closedAt === null && recording.status === 'recording';
}

/**
 * Returns the time that a session's tape shows: from its creation to its end, or to now. While the session is recorded, "now"
 * is the end of the recording by the service's clock, because this computer's clock may be wrong.
 */
export function tapeSpan(session: TapeSession, now: number): TapeSpan {
  const { createdAt, closedAt, recording } = session;
  const known = [...recording.coverage, ...recording.gaps].map(({ to }) => Date.parse(to));
  const newest = Math.max(Date.parse(createdAt), ...known);
  if (closedAt !== null) return spanTo(createdAt, Math.max(Date.parse(closedAt), newest));
  return spanTo(createdAt, isRecorded(session) ? newest : Math.max(newest, now));
}

function spanTo(from: string, to: number): TapeSpan {
  return { from, to: new Date(to).toISOString() };
}
