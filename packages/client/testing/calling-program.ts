// Makes calls of every kind to the API whose URL is the first argument. It must then end by itself: it does not call
// `process.exit`, and its time limits are far longer than a test may take.
import { createAdminClient } from '../src/admin.ts';

const HOUR_MS = 3_600_000;
const ABORT_MS = 300;

const [, , baseUrl = ''] = process.argv;
const limits = { timeoutMs: HOUR_MS, random: () => 0 };
const client = createAdminClient({ baseUrl, token: 'a-token', ...limits });
const caller = new AbortController();
const { signal } = caller;
const ended = (call: Promise<unknown>) => call.catch(() => {});

await client.projects.get('there', { signal });
await client.projects.list().toArray({ limit: 5 });
await client.agents.untilRunning('there').catch(() => {});
await ended(client.projects.get('away'));
const silent = ended(client.projects.get('silent', { signal }));
const later = ended(client.projects.get('later', { signal }));
const log = ended(Array.fromAsync(client.agents.logs('a', { follow: true, signal })));
setTimeout(() => caller.abort(), ABORT_MS);
await Promise.all([silent, later, log]);
// What keeps a program alive: timers among it.
if (process.getActiveResourcesInfo().includes('Timeout')) process.exitCode = 1;
