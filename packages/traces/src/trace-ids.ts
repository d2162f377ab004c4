import type { SpanIds } from './traces.ts';

/** Version 00 of https://www.w3.org/TR/trace-context/, and those fields of later versions that version 00 has. */
const TRACEPARENT =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;

/** Returns the parts of a `traceparent`; undefined when it is not valid. */
export function readTraceparent(
  traceparent: string,
): (SpanIds & { readonly isSampled: boolean }) | undefined {
  const [, traceId, spanId, flags = '', more] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  if (more !== undefined && traceparent.startsWith('00')) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

export function joinTraceparent({ traceId, spanId }: SpanIds, isSampled: boolean): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/** Returns the trace id that belongs to this UUID: the same digits. */
export function traceIdOf(uuid: string): string {
  return uuid.replaceAll('-', '');
}

/** Returns the id of the single span for `salt` and the UUID, the same in every process. */
export function spanIdOf(uuid: string, salt: number): string {
  const last = BigInt(`0x${traceIdOf(uuid).slice(16)}`);
  const id = BigInt.asUintN(64, last ^ (BigInt(Math.trunc(salt)) * MIXER));
  return (id === 0n ? 1n : id).toString(16).padStart(16, '0');
}

/** Odd, so that different salts lead to different ids. */
const MIXER = 0x9e3779b97f4a7c15n;
