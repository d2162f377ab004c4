import { type BenchOptions, startPostgres } from '../measure/servers.ts';
import { benchErasure } from './bench-erasure.ts';
import { benchFollowers } from './bench-followers.ts';
import { benchLogins } from './bench-logins.ts';
import { benchReads } from './bench-reads.ts';
import { benchSearch } from './bench-search.ts';
import { benchStreams } from './bench-streams.ts';
import { benchWaiting } from './bench-waiting.ts';
import { provideRows } from './load-rows.ts';
import { provideWords } from './load-words.ts';
import { Servers } from './servers.ts';

export const DEFAULT_ROWS = 1_000_000;

export const USUAL_PARTS = ['reads', 'logins', 'waiting'] as const;
export const PARTS = [...USUAL_PARTS, 'streams', 'followers', 'erasure', 'search'] as const;
type Part = (typeof PARTS)[number];

export interface HttpRequest {
  readonly parts: readonly Part[];
  readonly rows: number;
  readonly former: string | undefined;
}

export async function* benchHttp(
  folder: string,
  { rows, parts, former }: HttpRequest,
  options: BenchOptions,
): AsyncGenerator<string> {
  const { progress, stop } = options;
  await using stack = new AsyncDisposableStack();
  const { adminUrl } = await startPostgres(folder, options, stack);
  const provide = (count: number, load = provideRows) =>
    progress.during(`Loading ${count.toLocaleString('en')} messages`, (note) =>
      // Ten million messages take minutes: each step is an opportunity to stop.
      load(adminUrl, count, (step) => {
        stop.throwIfAborted();
        note(step);
      }),
    );
  const isOnlySearch = parts.every((part) => part === 'search');
  const url = isOnlySearch ? '' : await provide(rows);
  const hasFewer = rows > DEFAULT_ROWS && parts.includes('reads');
  const smallUrl = hasFewer ? await provide(DEFAULT_ROWS) : undefined;
  const benches: Record<Part, (servers: Servers) => Promise<string>> = {
    reads: (servers) => benchReads(servers, { url, smallUrl, former }, options),
    logins: (servers) => benchLogins(servers, url, options),
    waiting: (servers) => benchWaiting(servers, url, options),
    streams: (servers) => benchStreams(servers, url, options),
    followers: (servers) => benchFollowers(servers, url, options),
    erasure: (servers) => benchErasure(servers, url, options),
    search: async (servers) => benchSearch(servers, await provide(rows, provideWords), options),
  };
  for (const part of parts) {
    await using servers = new Servers(folder);
    yield `## ${part}, ${rows.toLocaleString('en')} messages\n\n${await benches[part](servers)}\n`;
  }
}
