import { StatusDot } from '../../ui/status-dot.tsx';

const TONES: ReadonlyMap<string, 'live' | 'off'> = new Map([
  ['ACTIVE', 'live'],
  ['CLOSED', 'off'],
]);

const WORDS: ReadonlyMap<string, string> = new Map([
  ['ACTIVE', 'Open'],
  ['CLOSED', 'Closed'],
]);

export function SessionDot({ status }: { readonly status: string }) {
  return <StatusDot tone={TONES.get(status) ?? 'starting'} label={WORDS.get(status) ?? status} />;
}
