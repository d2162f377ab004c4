import { setImmediate as turnEnd } from 'node:timers/promises';
import { withDeadline } from '@session/kit';

/**
 * Returns the answer to a statement; throws `unavailable` after `limitMs`. The limit begins when the driver sends the
 * statement: at the end of this turn of the event loop, which on a busy machine may take a second.
 */
export async function inTime<Answer>(answer: Promise<Answer>, limitMs: number): Promise<Answer> {
  // The race handles an answer that fails meanwhile: its rejection would count as unhandled.
  await Promise.race([answer, turnEnd()]);
  return await withDeadline(answer, limitMs);
}
