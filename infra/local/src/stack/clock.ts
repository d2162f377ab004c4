import { StartError } from '@session/kit';

/** A clock that shows an earlier time is wrong. */
const EARLIEST = Date.UTC(2026, 0);
/** Tokens are valid from their time of issue, and LiveKit tolerates a minute. */
const LARGEST_DIFFERENCE_MS = 60_000;

export function checkClock(now: number): void {
  if (now >= EARLIEST) return;
  throw new StartError(`This machine's clock says ${show(now)}: set it and start again.`);
}

export function compareClocks(now: number, theirs: number, name: string): void {
  if (Math.abs(now - theirs) <= LARGEST_DIFFERENCE_MS) return;
  throw new StartError(
    `This machine's clock says ${show(now)}, that of ${name} ${show(theirs)}: correct the wrong one and start again.`,
  );
}

function show(time: number): string {
  return new Date(time).toISOString();
}
