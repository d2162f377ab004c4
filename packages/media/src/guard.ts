/**
 * Returns a handler for LiveKit's SDK that passes errors to `onError`, because they would otherwise end the process.
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
