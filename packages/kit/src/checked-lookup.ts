import type { LookupFunction } from 'node:net';

interface AddressRule {
  readonly isRefused: (address: string) => boolean;
  readonly refusal: () => Error;
  readonly refusesUnknown?: boolean;
}

/** Returns a resolver that fails for a name if any of its addresses is refused. */
export function checkedLookup(
  lookup: LookupFunction,
  { isRefused, refusal }: AddressRule,
): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, address, family) => {
      const addresses =
        typeof address === 'string' ? [address] : address?.map((one) => one.address);
      if (!error && addresses?.some(isRefused)) callback(refusal(), '', 0);
      else callback(error, address, family);
    });
  };
}

/**
 * Throws when a name has a refused address, for requests whose names a proxy resolves. Without `refusesUnknown`,
 * accepts names that this machine cannot resolve, because many machines behind a proxy resolve none.
 */
export async function checkName(
  lookup: LookupFunction,
  hostname: string,
  { isRefused, refusal, refusesUnknown = false }: AddressRule,
): Promise<void> {
  const { promise: hasRefused, resolve } = Promise.withResolvers<boolean>();
  lookup(hostname, { all: true }, (error, addresses) => {
    const found = typeof addresses === 'string' ? [] : addresses;
    resolve(error ? refusesUnknown : found.some(({ address }) => isRefused(address)));
  });
  if (await hasRefused) throw refusal();
}

/** Returns the host of a URL, an IPv6 address without its brackets. */
export function hostAddress(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
