import { observeStatements } from '@session/db';

/** What an API reads or notes by itself, at any time: the last ones for its callers, once a second or a minute. */
const OF_ITS_OWN = new Set([
  'list_ended_tokens',
  'list_newly_ended_tokens',
  'find_secret',
  'note_secret_uses',
]);

/** Returns the names of the statements that requests need, in the order in which they ended. */
export async function statementsOf(requests: () => Promise<unknown>): Promise<string[]> {
  const names: string[] = [];
  using _ = observeStatements(({ name }) => names.push(name));
  await requests();
  return names.filter((name) => !OF_ITS_OWN.has(name));
}
