/** Returns `work` as a function whose calls run one after another: each begins when the previous one has ended. */
export function oneAtATime<Args extends unknown[], Result>(
  work: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  let previous: Promise<unknown> = Promise.resolve();
  return async (...args) => {
    const current = previous.then(() => work(...args));
    previous = current.catch(() => {});
    return await current;
  };
}
