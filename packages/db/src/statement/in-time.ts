import { AppError } from '@session/kit';

/**
 * Returns the answer to a statement; throws `unavailable` after `limitMs`. The limit begins when the driver sends the
 * statement: at the end of this turn of the event loop. A turn may take a second on a busy machine.
 */
export async function inTime<Answer>(answer: Promise<Answer>, limitMs: number): Promise<Answer> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const turnEnd = setImmediate(() => {
    timer = setTimeout(() => {
      // As in `withDeadline`: an answer that came while this process stood still counts.
      setImmediate(() => reject(new AppError('unavailable', `no answer within ${limitMs} ms`)));
    }, limitMs);
  });
  // A single race, because every statement needs it: `withDeadline` after another race costs twice as much.
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearImmediate(turnEnd);
    clearTimeout(timer);
  }
}
