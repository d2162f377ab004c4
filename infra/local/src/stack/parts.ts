import { isDeepStrictEqual } from 'node:util';

/** A running part and its address. Disposal stops the part, unless it is a server of the user's own. */
export interface StartedPart<Address> extends Partial<AsyncDisposable> {
  readonly address: Address;
}

/** Returns the part that `service` keeps alive. */
export function running<Address>(service: AsyncDisposable, address: Address): StartedPart<Address> {
  return { address, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

/**
 * Returns what `start` returns for the ports that `take` finds free. If `start` fails because another program took one of
 * the ports first, it is called again with others.
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
      // `take` finds the same ports if all of them are still free: then the failure has another reason.
      const others = await take();
      if (isDeepStrictEqual(others, ports)) throw error;
      ports = others;
    }
  }
}

/** Waits until all parts have started. If one fails, stops all others and throws the first failure. */
export async function untilAllStarted(
  starts: readonly Promise<StartedPart<unknown>>[],
): Promise<void> {
  const results = await Promise.allSettled(starts);
  const failure = results.find((result) => result.status === 'rejected');
  if (!failure) return;
  await stopAll(results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])));
  throw failure.reason;
}

/** Stops all parts at the same time. */
export async function stopAll(parts: readonly StartedPart<unknown>[]): Promise<void> {
  await Promise.all(parts.map(async (part) => await part[Symbol.asyncDispose]?.()));
}
