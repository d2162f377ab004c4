/**
 * Returns a handler that LiveKit's SDK can call: whatever `handler` throws or rejects with goes to `onError`. Without the
 * guard, such an error would end the process.
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
