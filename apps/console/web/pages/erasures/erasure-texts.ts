import type { Erasure } from '@session/client';

const NUMBERS = new Intl.NumberFormat('en');

function plural(count: number, one: string): string {
  return `${NUMBERS.format(count)} ${one}${count === 1 ? '' : 's'}`;
}

export function scopeText({ scope }: Pick<Erasure, 'scope'>): string {
  const { messageIds, identity, userId } = scope;
  if (userId !== undefined) return 'An end user';
  if (identity !== undefined) return 'A person in a session';
  return messageIds ? `${plural(messageIds.length, 'message')} of a session` : 'A session';
}

export function countsText({ counts }: Pick<Erasure, 'counts'>): string {
  const { messages, sessions } = counts;
  const text = plural(messages, 'message');
  return sessions > 1 ? `${text} in ${plural(sessions, 'session')}` : text;
}

interface StatusText {
  readonly name: string;
  readonly tone: 'iris' | 'ok';
}

export function statusOf({ status, recorders }: Pick<Erasure, 'recorders' | 'status'>): StatusText {
  if (status === 'done') return { name: 'Done', tone: 'ok' };
  if (status === 'running') return { name: 'Erasing', tone: 'iris' };
  const missing = recorders.filter(({ acknowledged }) => !acknowledged).length;
  const name = missing === 0 ? 'Checking again' : `Waiting for ${plural(missing, 'recorder')}`;
  return { name, tone: 'iris' };
}
