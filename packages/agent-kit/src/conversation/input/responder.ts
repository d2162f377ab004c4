import type { Participant } from '@session/contract/room';

export type Responder = Pick<Participant, 'identity' | 'name'>;

/** Returns which agent answers a text: the one that it names, else that with the lowest identity. All decide alike. */
export function responderOf(agents: readonly Responder[], text: string): Responder | undefined {
  const words = wordsOf(text);
  const named = agents.filter(({ name, identity }) =>
    [name, identity].some((one) => wordsOf(one) !== ' ' && words.includes(wordsOf(one))),
  );
  const candidates = named.length > 0 ? named : agents;
  return candidates.toSorted((one, other) => (one.identity < other.identity ? -1 : 1))[0];
}

function wordsOf(text: string): string {
  return ` ${
    text
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join(' ') ?? ''
  } `.replace('  ', ' ');
}
