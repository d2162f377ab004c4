import type { Participant } from '@session/contract/room';

/** The id of an agent of ours, or of its first predecessor. Ids lie in the order in which agents were started. */
const ID_ATTRIBUTE = 'session.agent';
/** The name of an agent that answers only texts with that name; a space: by the name that it has in the room. */
const ANSWERS_TO_ATTRIBUTE = 'session.answers-to';

export interface Responder extends Pick<Participant, 'identity' | 'name'> {
  readonly attributes?: Readonly<Record<string, string>> | undefined;
}

/**
 * Returns the attributes by which other agents know when this one answers. A successor answers what its first predecessor
 * `place` would have answered, by whatever name its own template wants to be addressed.
 */
export function responderAttributes(
  agentId: string | undefined,
  answersTo: string | undefined,
  place?: string,
): Record<string, string> {
  if (place !== undefined) return { [ID_ATTRIBUTE]: place };
  return {
    ...(agentId && { [ID_ATTRIBUTE]: agentId }),
    ...(answersTo !== undefined && { [ANSWERS_TO_ATTRIBUTE]: answersTo || ' ' }),
  };
}

export function isNamedOnly({ attributes }: Responder): boolean {
  return attributes?.[ANSWERS_TO_ATTRIBUTE] !== undefined;
}

/**
 * Returns which agent answers a text: the one that it names, else the one that was started first, of those that answer
 * what names nobody; undefined if none does. All decide alike.
 */
export function responderOf(agents: readonly Responder[], text: string): Responder | undefined {
  const words = wordsOf(text);
  const named = agents.filter(({ name, identity, attributes }) =>
    [name, identity, attributes?.[ANSWERS_TO_ATTRIBUTE] ?? ''].some(
      (one) => wordsOf(one) !== ' ' && words.includes(wordsOf(one)),
    ),
  );
  const candidates = named.length > 0 ? named : agents.filter((agent) => !isNamedOnly(agent));
  return candidates.toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1))[0];
}

export function placeOf({ identity, attributes }: Responder): string {
  return attributes?.[ID_ATTRIBUTE] ?? identity;
}

/** Agents of other frameworks come after ours, in the order of their identities. */
function orderOf({ identity, attributes }: Responder): string {
  return `${attributes?.[ID_ATTRIBUTE] ?? '~'} ${identity}`;
}

function wordsOf(text: string): string {
  return ` ${
    text
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join(' ') ?? ''
  } `.replace('  ', ' ');
}
