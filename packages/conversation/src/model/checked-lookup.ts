import type { LookupFunction } from 'node:net';
import { isLinkLocal } from '../settings/link-local.ts';

/** Wraps a resolver so that a name with a link-local address fails with `refusal`, whatever its other addresses are. */
export function checkedLookup(lookup: LookupFunction, refusal: () => Error): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, address, family) => {
      const addresses =
        typeof address === 'string' ? [address] : address?.map((one) => one.address);
      if (!error && addresses?.some(isLinkLocal)) callback(refusal(), '', 0);
      else callback(error, address, family);
    });
  };
}

/**
 * Throws `refusal` when a name has a link-local address, for requests that a proxy resolves. A name that cannot be
 * resolved here passes: behind a proxy, many machines resolve no foreign names.
 */
export async function checkName(
  lookup: LookupFunction,
  hostname: string,
  refusal: () => Error,
): Promise<void> {
  const { promise: isRefused, resolve } = Promise.withResolvers<boolean>();
  lookup(hostname, { all: true }, (error, addresses) => {
    const found = typeof addresses === 'string' ? [] : addresses;
    resolve(!error && found.some(({ address }) => isLinkLocal(address)));
  });
  if (await isRefused) throw refusal();
}
