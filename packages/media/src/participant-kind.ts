/** LiveKit's numbers of participant kinds; its server SDK exports no names for them. */
const KINDS: Readonly<Record<number, string>> = {
  0: 'standard',
  1: 'ingress',
  2: 'egress',
  3: 'sip',
  4: 'agent',
  7: 'connector',
  8: 'bridge',
};

/** Gives the name of a participant kind of LiveKit's server. */
export function kindName(kind: number): string {
  return KINDS[kind] ?? 'unknown';
}
