import type { Participant } from '@session/contract/room';
import type { OwnToolSettings } from '@session/conversation';

/** The id of an agent of ours, or of its first predecessor. Ids lie in the order in which agents were started. */
const ID_ATTRIBUTE = 'session.agent';
/** The name of an agent's template. */
const NAME_ATTRIBUTE = 'session.name';
/**
 * Marks an agent that answers only what names it. Its value is the same name, or a space without one: agents of the former
 * release know this attribute alone.
 */
const ANSWERS_TO_ATTRIBUTE = 'session.answers-to';

export interface Responder extends Pick<Participant, 'identity' | 'name'> {
  readonly attributes?: Readonly<Record<string, string>> | undefined;
}

/**
 * Returns the attributes that tell other agents which texts this one answers. `place` is the id of the first agent that a
 * successor follows: it answers in that place, even if its own template says `named`.
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
 * Returns which agent answers a text: the one whose template's name it begins with, the longest of several names; else the one
 * that it names; else the one that was started first, of those that answer what names nobody; undefined if none does. All
 * agents decide alike.
 */
export function responderOf(agents: readonly Responder[], text: string): Responder | undefined {
  const words = wordsOf(text);
  const begun = agents.filter(
    (agent) => titleOf(agent) !== ' ' && words.startsWith(titleOf(agent)),
  );
  const longest = Math.max(...begun.map((agent) => titleOf(agent).length));
  const titled = begun.filter((agent) => titleOf(agent).length === longest);
  const named = agents.filter((agent) => isNamedIn(words, agent));
  const free = agents.filter((agent) => !isNamedOnly(agent));
  const candidates = [titled, named, free].find(({ length }) => length > 0) ?? [];
  return candidates.toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1))[0];
}

/** The name of a template may be a usual word, so it counts at the beginning alone, unless its agent answers to nothing else. */
function titleOf({ attributes }: Responder): string {
  return wordsOf(attributes?.[NAME_ATTRIBUTE] ?? '');
}

function isNamedIn(words: string, { name, identity, attributes }: Responder): boolean {
  const names = [name, identity, attributes?.[ANSWERS_TO_ATTRIBUTE] ?? ''].map(wordsOf);
  return names.some((one) => one !== ' ' && words.includes(one));
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
