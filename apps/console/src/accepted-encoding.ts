import type { Encoding } from './pages.ts';

/**
 * Returns the first of `available` that the request accepts, or undefined for the plain file. `header` is the request's
 * Accept-Encoding: names with weights, of which 0 means refused, and `*` for all that are not named.
 */
export function acceptedEncoding(
  header: string | undefined,
  available: Iterable<Encoding>,
): Encoding | undefined {
  const weights = new Map(
    (header ?? '').split(',').map((item): [string, number] => {
      const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='));
      return [name, weight === undefined ? 1 : Number(weight.slice(2))];
    }),
  );
  for (const encoding of available) {
    if ((weights.get(encoding) ?? weights.get('*') ?? 0) > 0) return encoding;
  }
  return undefined;
}
