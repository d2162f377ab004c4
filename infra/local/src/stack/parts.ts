import { isDeepStrictEqual } from 'node:util';

/** Disposal stops the part, unless it is a server of the user's own. */
export interface StartedPart<Address> extends Partial<AsyncDisposable> {
  readonly address: Address;
}

export function running<Address>(service: AsyncDisposable, address: Address): StartedPart<Address> {
  return { address, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

/** Calls `start` with the ports that `take` finds free, and again with others if another program took one of them first. */
export async function onFreePorts<Ports, T>(
  take: () => Promise<Ports>,
  start: (ports: Ports) => Promise<T>,
): Promise<T> {
  let ports = await take();
  for (;;) {
    try {
      return await start(ports);
    } catch (error) {
      // If all ports are still free, `take` returns the same ones, and the failure has another reason.
      const others = await take();
      if (isDeepStrictEqual(others, ports)) throw error;
      ports = others;
    }
  }
}

/** Throws the first failure, after stopping all other parts. */
export async function untilAllStarted(
  starts: readonly Promise<StartedPart<unknown>>[],
): Promise<void> {
  const results = await Promise.allSettled(starts);
  const failure = results.find((result) => result.status === 'rejected');
  if (!failure) return;
  await stopAll(results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])));
  throw failure.reason;
}

export async function stopAll(parts: readonly StartedPart<unknown>[]): Promise<void> {
  await Promise.all(parts.map(async (part) => await part[Symbol.asyncDispose]?.()));
}
