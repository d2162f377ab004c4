import type { Participant } from '@session/contract/room';
import type { OwnToolSettings } from '@session/conversation';

/** The id of one of our agents, or of its first predecessor. Sorted ids are in the order in which agents were started. */
const ID_ATTRIBUTE = 'session.agent';
const NAME_ATTRIBUTE = 'session.name';
/**
 * Marks an agent that only answers texts that name it. The value is that name, or a space if there is none. Agents of the
 * former release read only this attribute.
 */
const ANSWERS_TO_ATTRIBUTE = 'session.answers-to';
/** `true` while one of our agents hears people, `false` while it does not. Agents without hearing do not have it. */
export const HEARING_ATTRIBUTE = 'session.hearing';

export interface Responder extends Pick<Participant, 'identity' | 'name'> {
  readonly attributes?: Readonly<Record<string, string>> | undefined;
}

/**
 * Returns the attributes that show other agents which texts this agent answers. `place` is the id of the first agent
 * that a successor follows. The successor answers in that agent's place, even if its own template says `named`.
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

export function showsHearing({ attributes }: Pick<Responder, 'attributes'>): boolean {
  return attributes?.[HEARING_ATTRIBUTE] === 'true';
}

export function hasHearing({ attributes }: Pick<Responder, 'attributes'>): boolean {
  return attributes?.[HEARING_ATTRIBUTE] !== undefined;
}

/**
 * Returns the agents that may answer words that `own` has heard: those that hear, and those of other frameworks, whose
 * hearing is unknown. If the hearing of `own` has failed, all agents with failed hearing count too, because they may
 * have heard these words, unless another agent hears and also answers words without its name.
 */
export function listenersOf(own: Responder, others: readonly Responder[]): Responder[] {
  const hearing = others.filter((other) => showsHearing(other) || isUnknown(other));
  if (showsHearing(own)) return [own, ...hearing];
  if (others.some((other) => showsHearing(other) && !isNamedOnly(other))) return hearing;
  return [own, ...others.filter((other) => hasHearing(other) || isUnknown(other))];
}

function isUnknown(agent: Responder): boolean {
  return !hasHearing(agent) && agent.attributes?.[ID_ATTRIBUTE] === undefined;
}

export function isNamedOnly({ attributes }: Responder): boolean {
  return attributes?.[ANSWERS_TO_ATTRIBUTE] !== undefined;
}

/**
 * Returns the agent that answers a text; undefined if there is none. If the text begins with names of templates, the
 * agent with the longest of these names answers. Otherwise the agent that the text names answers. If it names none, the
 * agent that was started first answers, of those that answer texts without a name. All agents come to the same result.
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

/**
 * Returns the template's name as words. It may be a common word, so it only counts at the beginning of a text, unless
 * the agent answers to nothing else.
 */
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
