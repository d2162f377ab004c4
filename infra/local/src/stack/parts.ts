import { isDeepStrictEqual } from 'node:util';

/** A part that runs, and where it is reached. Disposal stops it, unless it is one of the user's own. */
export interface StartedPart<Address> extends Partial<AsyncDisposable> {
  readonly address: Address;
}

/** Gives the part that `service` keeps alive. */
export function running<Address>(service: AsyncDisposable, address: Address): StartedPart<Address> {
  return { address, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

/**
 * Gives what `start` gives on the ports that `take` finds free. When it fails because another program has been faster
 * at one of them, it is tried anew on others.
 */
export async function onFreePorts<Ports, T>(
  take: () => Promise<Ports>,
  start: (ports: Ports) => Promise<T>,
): Promise<T> {
  let ports = await take();
  for (;;) {
    try {
      return await start(ports);
    } catch (error) {
      // Those that are still free are found again.
      const others = await take();
      if (isDeepStrictEqual(others, ports)) throw error;
      ports = others;
    }
  }
}

/** Waits until all have started. Throws the first failure when one has not; then none is left running. */
export async function untilAllStarted(
  starts: readonly Promise<StartedPart<unknown>>[],
): Promise<void> {
  const results = await Promise.allSettled(starts);
  const failure = results.find((result) => result.status === 'rejected');
  if (!failure) return;
  await stopAll(results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])));
  throw failure.reason;
}

/** Stops all of them at once. */
export async function stopAll(parts: readonly StartedPart<unknown>[]): Promise<void> {
  await Promise.all(parts.map(async (part) => await part[Symbol.asyncDispose]?.()));
}
