import type { Participant } from '@session/contract/room';
import type { OwnToolSettings } from '@session/conversation';

/** The id of an agent of ours, or of its first predecessor. Ids lie in the order in which agents were started. */
const ID_ATTRIBUTE = 'session.agent';
/** The name of an agent's template. */
const NAME_ATTRIBUTE = 'session.name';
/** Marks an agent that answers only what names it. Its value is the same name, or a space: agents of the first release know no other. */
const ANSWERS_TO_ATTRIBUTE = 'session.answers-to';

export interface Responder extends Pick<Participant, 'identity' | 'name'> {
  readonly attributes?: Readonly<Record<string, string>> | undefined;
}

/**
 * Returns the attributes by which other agents know when this one answers. A successor answers what its first predecessor
 * `place` would have answered, even if its own template says `named`.
 */
export function responderAttributes(
  agentId: string | undefined,
  own: Pick<OwnToolSettings, 'isNamedOnly' | 'name'>,
  place?: string,
): Record<string, string> {
  const id = place ?? agentId;
  const answersTo = own.isNamedOnly && place === undefined ? own.name || ' ' : undefined;
  return {
    ...(id && { [ID_ATTRIBUTE]: id }),
    ...(own.name && { [NAME_ATTRIBUTE]: own.name }),
    ...(answersTo && { [ANSWERS_TO_ATTRIBUTE]: answersTo }),
  };
}

export function isNamedOnly({ attributes }: Responder): boolean {
  return attributes?.[ANSWERS_TO_ATTRIBUTE] !== undefined;
}

/**
 * Returns which agent answers a text: the one that it names, or whose template's name it begins with; else the one that was started first, of those that answer
 * what names nobody; undefined if none does. All decide alike.
 */
export function responderOf(agents: readonly Responder[], text: string): Responder | undefined {
  const named = agents.filter((agent) => isNamedIn(wordsOf(text), agent));
  const candidates = named.length > 0 ? named : agents.filter((agent) => !isNamedOnly(agent));
  return candidates.toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1))[0];
}

/** The name of a template may be a usual word, so it counts at the beginning alone, unless its agent answers to nothing else. */
function isNamedIn(words: string, { name, identity, attributes = {} }: Responder): boolean {
  const { [NAME_ATTRIBUTE]: title = '', [ANSWERS_TO_ATTRIBUTE]: only = '' } = attributes;
  const names = [name, identity, only].map(wordsOf).filter((one) => one !== ' ');
  const start = wordsOf(title);
  return names.some((one) => words.includes(one)) || (start !== ' ' && words.startsWith(start));
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
