import { EventEmitter } from 'node:events';
import {
  type AgentLauncher,
  type AgentObservation,
  LaunchDelayed,
  type LauncherModule,
  observeWorkloads,
  type Workload,
} from '@session/agents';
import { readEnv, StartError } from '@session/kit';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { openTestAgents } from '../../testing/agents.ts';
import { LAUNCHERS, loadConfig } from '../config.ts';

/**
 * All that a third launcher needs: its variable, its factory and its check. Its agents end at once, with one log line.
 */
const instantModule: LauncherModule = {
  name: 'instant',
  configure(env, isChosen) {
    const INSTANT_LINE = isChosen ? z.string('a line') : z.string().default('');
    const { INSTANT_LINE: line } = readEnv(z.object({ INSTANT_LINE }), env);
    const problem = new LaunchDelayed({ reason: 'no_capacity', detail: `Never: ${line}.` });
    return {
      name: 'instant',
      open: async () => ({
        launcher: new InstantLauncher(line),
        deadProcessIds: [],
        [Symbol.asyncDispose]: async () => {},
      }),
      openCheck: () => ({
        isInstalled: () => true,
        check: () => Promise.reject(problem),
        [Symbol.asyncDispose]: async () => {},
      }),
    };
  },
};

class InstantLauncher implements AgentLauncher {
  readonly #line: string;
  readonly #ended = new Map<string, { workloadId: string; workload: Workload }>();
  readonly #events = new EventEmitter();

  constructor(line: string) {
    this.#line = line;
  }

  async start({ workloadId }: { workloadId: string }): Promise<void> {
    const ended = { workloadId, workload: { phase: 'ended', exitCode: 0 } as const };
    this.#ended.set(workloadId, ended);
    this.#events.emit('change', { type: 'workload', ...ended });
  }

  async stop(): Promise<void> {}

  async remove(workloadId: string): Promise<void> {
    if (!this.#ended.delete(workloadId)) return;
    this.#events.emit('change', { type: 'workload', workloadId, workload: { phase: 'absent' } });
  }

  observe(signal: AbortSignal): AsyncIterable<AgentObservation> {
    return observeWorkloads(this.#ended.values(), this.#events, signal);
  }

  startTimes() {
    return {};
  }

  async *logs() {
    yield { at: 1, line: this.#line };
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

const launchers = [...LAUNCHERS, instantModule] as const;
const env = {
  JWT_SECRET: 's'.repeat(32),
  MEDIA_URL: 'ws://127.0.0.1:1',
  MEDIA_API_KEY: 'key',
  MEDIA_API_SECRET: 'secret',
  DATABASE_URL: 'postgres://127.0.0.1/db',
};

test('a launcher that is only added to the list runs the agents of the API, and checks its dry runs', async () => {
  await using agents = await openTestAgents({
    launchers,
    env: { AGENT_LAUNCHER: 'instant', INSTANT_LINE: 'hello' },
  });
  const { api, ana } = agents;
  await agents.open();
  const { id } = await agents.start();
  expect(await agents.until(id, 'Stopped')).toMatchObject({ reason: 'completed', exitCode: 0 });
  expect((await agents.logs(id)).items.map(({ line }) => line)).toEqual(['hello']);
  const url = `/sessions/${await api.createSession(ana)}/agents?dryRun=true`;
  const payload = { role: 'echo-agent' };
  const dryRun = await api.inject(ana, { method: 'POST', url, payload });
  expect(dryRun.json()).toEqual({
    ok: false,
    reach: null,
    problems: [{ code: 'no_capacity', detail: 'Never: hello.' }],
  });
  const roles = (await api.inject(ana, { url: '/agent-types' })).json();
  expect(roles.every(({ available }: { available: boolean }) => available)).toBe(true);
});

test.each([
  [
    'instant',
    [
      'PORT is not valid: a whole number from 0 to 65535',
      'AGENT_NAMESPACE is not valid: 1 to 63 lower-case letters, digits and hyphens are needed, without a hyphen at an end',
      'INSTANT_LINE is not set: a line',
    ],
  ],
  [
    'docker',
    [
      'PORT is not valid: a whole number from 0 to 65535',
      'AGENT_LAUNCHER is not valid: process, kubernetes, or instant',
      'AGENT_NAMESPACE is not valid: 1 to 63 lower-case letters, digits and hyphens are needed, without a hyphen at an end',
    ],
  ],
])(
  'a start with AGENT_LAUNCHER=%s is refused with all faults, those of other launchers too',
  (AGENT_LAUNCHER, lines) => {
    const faulty = { ...env, PORT: 'http', AGENT_NAMESPACE: '-', AGENT_LAUNCHER };
    expect(() => loadConfig(faulty, launchers)).toThrow(new StartError(lines.join('\n')));
  },
);
