import type { Message } from '@session/contract';
import * as z from 'zod';

export interface SpokenMessage {
  readonly id: string;
  readonly identity: string;
  readonly name: string;
  readonly isAgent: boolean;
  readonly content: string;
}

export interface HistoryComparison {
  readonly said: number;
  readonly answered: number;
  readonly stored: number;
  readonly missing: number;
  readonly faults: readonly string[];
}

const Authored = z.object({
  kind: z.string(),
  participant: z.object({ identity: z.string(), name: z.string() }),
});

export function authorOf({ metadata }: Message): z.infer<typeof Authored> | undefined {
  return Authored.safeParse(metadata).data;
}

/** Compares like `compareMessages`, and requires an echo agent's answer to each message of a user. */
export function compareWithHistory(
  spoken: readonly SpokenMessage[],
  history: readonly Message[],
): HistoryComparison {
  const said = spoken.filter(({ isAgent }) => !isAgent);
  const answers = new Set(spoken.filter(({ isAgent }) => isAgent).map(({ content }) => content));
  const unanswered = said.filter(({ content }) => !answers.has(`You said: ${content}`));
  const { stored, missing, faults } = compareMessages(spoken, history);
  return {
    said: said.length,
    answered: said.length - unanswered.length,
    stored,
    missing,
    faults: [...unanswered.map(({ content }) => `Not answered: ${content}`), ...faults],
  };
}

/**
 * Compares the messages, in the order of the room, with the history: the same ids, contents and order, and no others. A
 * sender's join must come before the sender's first message, and the leave after the last.
 */
export function compareMessages(
  spoken: readonly SpokenMessage[],
  history: readonly Message[],
): Pick<HistoryComparison, 'stored' | 'missing' | 'faults'> {
  const contents = new Map(
    history.filter(({ role }) => role !== 'system').map(({ id, content }) => [id, content]),
  );
  const found = spoken.filter(({ id }) => contents.has(id));
  const foundIds = new Set(found.map(({ id }) => id));
  const changed = found.filter(({ id, content }) => contents.get(id) !== content);
  const isSameOrder = [...contents.keys()]
    .filter((id) => foundIds.has(id))
    .every((id, index) => id === found[index]?.id);
  const unexpected = [...contents].filter(([id]) => !foundIds.has(id));
  return {
    stored: found.length,
    missing: spoken.length - found.length,
    faults: [
      ...spoken
        .filter(({ id }) => !foundIds.has(id))
        .map(({ content }) => `Not stored: ${content}`),
      ...changed.map(({ content }) => `Stored with another content: ${content}`),
      ...unexpected.map(([, content]) => `Stored, but not received in the room: ${content}`),
      ...(isSameOrder ? [] : ['Stored in another order than it was said.']),
      ...presenceFaults(spoken, history),
    ],
  };
}

function presenceFaults(spoken: readonly SpokenMessage[], history: readonly Message[]): string[] {
  const senders = new Map(spoken.map(({ identity, name }) => [identity, name]));
  const authors = history.map(authorOf).filter((author) => author !== undefined);
  return Array.from(senders).flatMap(([identity, name]) => {
    const own = authors.filter(({ participant }) => participant.identity === identity);
    return [
      ...(own[0]?.kind === 'participant_joined' ? [] : [`Not stored first: ${name} joined.`]),
      ...(own.at(-1)?.kind === 'participant_left' ? [] : [`Not stored last: ${name} left.`]),
    ];
  });
}
