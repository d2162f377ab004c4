import type { Message } from '@session/contract';
import * as z from 'zod';

/** Something that was said in the room. */
export interface SpokenMessage {
  readonly id: string;
  readonly identity: string;
  readonly name: string;
  readonly isAgent: boolean;
  readonly content: string;
}

/** What the stored history is worth, compared with what was said. */
export interface HistoryComparison {
  readonly said: number;
  readonly answered: number;
  /** How many of the words, said and answered, are stored. */
  readonly stored: number;
  readonly missing: number;
  /** In whole sentences; none when all is well. */
  readonly faults: readonly string[];
}

const Authored = z.object({
  kind: z.string(),
  participant: z.object({ identity: z.string(), name: z.string() }),
});

/** Gives what kind of message it is and whose, where it is somebody's. */
export function authorOf({ metadata }: Message): z.infer<typeof Authored> | undefined {
  return Authored.safeParse(metadata).data;
}

/**
 * Compares `words`, in the order in which they were heard in the room, with the history, oldest first. That has to hold
 * the same ids with the same content in the same order, no other words, and each speaker's join before their first words
 * and leave after the last. And every sentence of a person wants an answer.
 */
export function compareWithHistory(
  words: readonly SpokenMessage[],
  history: readonly Message[],
): HistoryComparison {
  const said = words.filter(({ isAgent }) => !isAgent);
  const answers = new Set(words.filter(({ isAgent }) => isAgent).map(({ content }) => content));
  const unanswered = said.filter(({ content }) => !answers.has(`You said: ${content}`));
  const contents = new Map(
    history.filter(({ role }) => role !== 'system').map(({ id, content }) => [id, content]),
  );
  const found = words.filter(({ id }) => contents.has(id));
  const foundIds = new Set(found.map(({ id }) => id));
  const changed = found.filter(({ id, content }) => contents.get(id) !== content);
  const isSameOrder = [...contents.keys()]
    .filter((id) => foundIds.has(id))
    .every((id, index) => id === found[index]?.id);
  const unheard = [...contents].filter(([id]) => !foundIds.has(id));
  return {
    said: said.length,
    answered: said.length - unanswered.length,
    stored: found.length,
    missing: words.length - found.length,
    faults: [
      ...unanswered.map(({ content }) => `Not answered: ${content}`),
      ...words.filter(({ id }) => !foundIds.has(id)).map(({ content }) => `Not stored: ${content}`),
      ...changed.map(({ content }) => `Stored with other words: ${content}`),
      ...unheard.map(([, content]) => `Stored, but not heard in the room: ${content}`),
      ...(isSameOrder ? [] : ['Stored in another order than it was said.']),
      ...presenceFaults(words, history),
    ],
  };
}

function presenceFaults(words: readonly SpokenMessage[], history: readonly Message[]): string[] {
  const speakers = new Map(words.map(({ identity, name }) => [identity, name]));
  const authors = history.map(authorOf).filter((author) => author !== undefined);
  return Array.from(speakers).flatMap(([identity, name]) => {
    const own = authors.filter(({ participant }) => participant.identity === identity);
    return [
      ...(own[0]?.kind === 'participant_joined' ? [] : [`Not stored first: ${name} joined.`]),
      ...(own.at(-1)?.kind === 'participant_left' ? [] : [`Not stored last: ${name} left.`]),
    ];
  });
}
