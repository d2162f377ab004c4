import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { createClient } from '@session/client';
import { createAdminClient } from '@session/client/admin';
import { type RunningStack, startStack } from '@session/testing/browser';
import type { Person } from './people.ts';
import type { PageOptions } from './watched-page.ts';

const folder = path.resolve(import.meta.dirname, '../../../.cache/stack-test');

export interface OwnStack extends AsyncDisposable {
  readonly signUp: (name: string) => Promise<Person>;
  /**
   * Matches the faults that a watched page notes for requests to this stack, whose hosts differ from those of the run's stack.
   */
  readonly requests: RegExp;
  readonly pageOf: (person: Person) => PageOptions;
  readonly kill: (part: string) => Promise<void>;
}

/** Starts a stack for one test file. It serves the console, because the setup of the tier `browser` has built the pages. */
export async function startOwnStack(environment: NodeJS.ProcessEnv): Promise<OwnStack> {
  const stack = await startStack(path.join(folder, `journey-${randomUUID()}`), environment);
  const { apiUrl, consoleUrl, mediaUrl } = stack;
  if (!consoleUrl) throw new Error('The stack has no console: the pages could not be built.');
  return {
    requests: new RegExp(`^foreign: http://(${hostsOf(apiUrl, consoleUrl, mediaUrl).join('|')})/`),
    signUp: async (name) => await signUp(apiUrl, name),
    pageOf: ({ token }) => ({
      baseURL: consoleUrl,
      storageState: {
        cookies: [],
        origins: [
          {
            origin: new URL(consoleUrl).origin,
            localStorage: [{ name: 'session.token', value: token }],
          },
        ],
      },
    }),
    kill: async (part) => await kill(stack, part),
    [Symbol.asyncDispose]: async () => await stack[Symbol.asyncDispose](),
  };
}

function hostsOf(...addresses: readonly string[]): string[] {
  return addresses.map((address) => new URL(address).host);
}

async function signUp(baseUrl: string, name: string): Promise<Person> {
  const account = { email: `${randomUUID()}@example.org`, password: 'correct horse', name };
  const { token, user } = await createClient({ baseUrl }).auth.signUp(account);
  return { ...account, id: user.id, token, client: createAdminClient({ baseUrl, token }) };
}

async function kill(stack: RunningStack, part: string): Promise<void> {
  const pids = await stack.pids();
  const pid = pids[part];
  if (pid === undefined)
    throw new Error(`the stack has no part ${part}; choose ${Object.keys(pids).join(', ')}`);
  process.kill(pid, 'SIGKILL');
}
