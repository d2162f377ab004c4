import { observeStatements } from '@session/db';

/** Statements that timers of the API run, or that run once a second for an API key (`find_secret`). */
const NOT_OF_EACH_REQUEST = new Set([
  'list_ended_tokens',
  'list_newly_ended_tokens',
  'find_secret',
  'note_secret_uses',
]);

/** Returns the names of the statements that each of the requests needs, in the order in which they ended. */
export async function statementsOf(requests: () => Promise<unknown>): Promise<string[]> {
  const names: string[] = [];
  using _ = observeStatements(({ name }) => names.push(name));
  await requests();
  return names.filter((name) => !NOT_OF_EACH_REQUEST.has(name));
}
