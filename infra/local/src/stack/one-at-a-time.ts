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
