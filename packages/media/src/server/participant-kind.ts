/** The names of LiveKit's participant kinds by their numbers. LiveKit's server SDK exports no names for them. */
const KINDS: Readonly<Record<number, string>> = {
  0: 'standard',
  1: 'ingress',
  2: 'egress',
  3: 'sip',
  4: 'agent',
  7: 'connector',
  8: 'bridge',
};

/** Returns the name of a participant kind of LiveKit's server, or `unknown`. */
export function kindName(kind: number): string {
  return KINDS[kind] ?? 'unknown';
}
