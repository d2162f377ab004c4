/**
 * Gives `handler` in the one form in which LiveKit's SDK can bear it: what it throws, or rejects with, goes to `onError`.
 * Bare, it would end the process.
 */
export function guard<Args extends unknown[]>(
  handler: (...args: Args) => Promise<void> | void,
  onError: (error: unknown) => void,
): (...args: Args) => void {
  return (...args) => {
    const run = async () => await handler(...args);
    run().catch(onError);
  };
}
