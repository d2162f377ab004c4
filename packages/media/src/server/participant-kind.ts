const KINDS: Readonly<Record<number, string>> = {
  0: 'standard',
  1: 'ingress',
  2: 'egress',
  3: 'sip',
  4: 'agent',
  7: 'connector',
  8: 'bridge',
};

export function kindName(kind: number): string {
  return KINDS[kind] ?? 'unknown';
}
