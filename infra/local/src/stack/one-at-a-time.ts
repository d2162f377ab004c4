/** Gives `work` in a form whose calls wait for each other: none begins before the one before it has ended. */
export function oneAtATime<Args extends unknown[], Result>(
  work: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return async (...args) => {
    const turn = last.then(() => work(...args));
    last = turn.catch(() => {});
    return await turn;
  };
}
