import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findProgram } from '@session/agents';
import type { Agent, AgentConfig, AgentLog, AgentTimeline } from '@session/contract';
import { createTestDatabase, testMedia } from '@session/testing';
import type { Traces } from '@session/traces';
import type { DestinationStream } from 'pino';
import * as z from 'zod';
import {
  BACKGROUND_SETTINGS,
  type BackgroundSettings,
  openBackground,
} from '../src/background/background.ts';
import { startTestApi, type TestApi, type TestApiOptions, type TestUser } from './api.ts';

const TIMEOUT_MS = 60_000;
/** A program that ends with this process, so that a test run that is killed leaves no program behind. */
export const runs =
  'process.once("disconnect", () => process.exit()); setInterval(() => {}, 1000);';
const Records = z.object({ agents: z.record(z.string(), z.object({ pid: z.number() })) });

export interface AgentsOptions {
  readonly databaseUrl?: string;
  readonly media?: ReturnType<typeof testMedia>;
  readonly logStream?: DestinationStream;
  readonly env?: NodeJS.ProcessEnv;
  readonly launchers?: NonNullable<TestApiOptions['launchers']>;
  readonly traces?: Traces;
  /** Programs in JavaScript, by their names in the catalogue. The other programs are the real ones. */
  readonly programs?: Readonly<Record<string, string>>;
  readonly settings?: Partial<Pick<BackgroundSettings, 'findProgram' | 'shutdownGraceMs'>>;
  readonly limits?: Partial<BackgroundSettings['limits']>;
  /** The pause between two rounds of the reconciler: by default ten minutes, so that a test notices a missing wake-up. */
  readonly pollMs?: number;
}

export interface TestAgents extends AsyncDisposable {
  readonly api: TestApi;
  readonly ana: TestUser;
  readonly folder: string;
  open(): Promise<AsyncDisposable>;
  /** Starts an agent, in a new session unless one is given. By default it is not restarted, so that a test sees its end. */
  start(role?: string, sessionId?: string, config?: AgentConfig): Promise<Agent>;
  stop(id: string): Promise<Agent>;
  find(id: string): Promise<Agent>;
  until(id: string, status: Agent['status']): Promise<Agent>;
  logs(id: string, query?: string): Promise<AgentLog>;
  steps(id: string): Promise<string[]>;
  pidOf(id: string): Promise<number | undefined>;
}

/** Returns the API on a database of its own, which runs real agents, with short intervals. */
export async function openTestAgents(options: AgentsOptions = {}): Promise<TestAgents> {
  await using stack = new AsyncDisposableStack();
  const databaseUrl = options.databaseUrl ?? stack.use(await createTestDatabase()).url;
  const folder = await mkdtemp(path.join(tmpdir(), 'agents-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const env = { AGENT_PROCESS_DIR: folder, ...options.env };
  const { media = testMedia(), logStream, launchers, traces } = options;
  const given = {
    media,
    env,
    ...(logStream && { logStream }),
    ...(launchers && { launchers }),
    ...(traces && { deps: { traces } }),
  };
  const api = stack.use(await startTestApi(databaseUrl, given));
  const reconcilers = stack.use(new AsyncDisposableStack());
  const ana = await api.createUser();
  const ask = async (method: 'DELETE' | 'GET', url: string) =>
    (await api.inject(ana, { method, url })).json();
  const find = (id: string): Promise<Agent> => ask('GET', `/agents/${id}`);
  const owned = stack.move();
  return {
    api,
    ana,
    folder,
    open: async () =>
      reconcilers.use(once(await openBackground(api.deps, api.app.log, settingsOf(options)))),
    async start(role = 'echo-agent', sessionId, config = { restart: 'never' }) {
      const session = sessionId ?? (await api.createSession(ana));
      if (role !== 'echo-agent') await createTemplate(api, ana, session);
      const url = `/sessions/${session}/agents`;
      const answer = await api.inject(ana, { method: 'POST', url, payload: { role, config } });
      if (answer.statusCode !== 201) throw new Error(answer.body);
      return answer.json();
    },
    stop: (id) => ask('DELETE', `/agents/${id}`),
    find,
    async until(id, status) {
      const deadline = performance.now() + TIMEOUT_MS;
      for (;;) {
        const agent = await find(id);
        if (agent.status === status) return agent;
        if (performance.now() > deadline) throw new Error(JSON.stringify(agent));
        await sleep(20);
      }
    },
    logs: (id, query = '') => ask('GET', `/agents/${id}/logs${query}`),
    async steps(id) {
      const { items }: AgentTimeline = await ask('GET', `/agents/${id}/timeline`);
      return items.map(({ event }) => event);
    },
    pidOf: (id) => pidIn(folder, id),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function settingsOf({
  programs = {},
  settings,
  limits,
  pollMs = 600_000,
}: AgentsOptions): BackgroundSettings {
  return {
    ...BACKGROUND_SETTINGS,
    timing: { pollMs, startingPollMs: 15, retryMs: 50 },
    limits: { ...BACKGROUND_SETTINGS.limits, ...limits },
    renewMs: 250,
    flushMs: 50,
    retryMs: 25,
    findProgram(program) {
      const script = programs[program];
      if (script !== undefined) return { file: process.execPath, args: ['-e', script] };
      const built = process.env['AGENT_PROGRAMS_DIR'] ?? '';
      return findProgram(built, program, false) ?? BACKGROUND_SETTINGS.findProgram(program);
    },
    ...settings,
  };
}

async function createTemplate(api: TestApi, user: TestUser, sessionId: string): Promise<void> {
  const { projectId } = (await api.inject(user, { url: `/sessions/${sessionId}` })).json();
  const url = `/projects/${projectId}/env-templates`;
  const payload = { name: 'keys', variables: { LLM_API_KEY: 'a key of the tests' } };
  await api.inject(user, { method: 'POST', url, payload });
}

async function pidIn(folder: string, agentId: string): Promise<number | undefined> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.json')) continue;
    const text = await readFile(path.join(folder, name), 'utf8');
    const { agents } = Records.parse(JSON.parse(text));
    const own = Object.entries(agents).filter(([workloadId]) => workloadId.startsWith(agentId));
    const newest = own.at(-1);
    if (newest) return newest[1].pid;
  }
  return undefined;
}

function once(what: AsyncDisposable): AsyncDisposable {
  let done: Promise<void> | undefined;
  return {
    async [Symbol.asyncDispose]() {
      done ??= Promise.resolve(what[Symbol.asyncDispose]());
      await done;
    },
  };
}

/** Returns how often the agent has printed that it is in its room. One log has the lines of all its programs. */
export async function joinsOf(agents: TestAgents, id: string): Promise<number> {
  const { items } = await agents.logs(id);
  return items.filter(({ line }) => line.startsWith('joined room ')).length;
}
