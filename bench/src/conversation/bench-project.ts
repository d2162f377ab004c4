import { randomUUID } from 'node:crypto';
import type { AgentTimeline, NewAgent } from '@session/client';
import { type AdminClient, createAdminClient } from '@session/client/admin';
import { pause, StartError } from '@session/kit';

const POLL_MS = 20;
const TIMEOUT_MS = 130_000;

type BenchTemplate = Parameters<AdminClient['agentTemplates']['create']>[1];
export type BenchTool = NonNullable<BenchTemplate['tools']>[number];

export class BenchProject {
  readonly #client: AdminClient;
  readonly #id: string;
  readonly #stop: AbortSignal;

  private constructor(client: AdminClient, id: string, stop: AbortSignal) {
    this.#client = client;
    this.#id = id;
    this.#stop = stop;
  }

  static async open(baseUrl: string, stop: AbortSignal): Promise<BenchProject> {
    let token: string | undefined;
    const client = createAdminClient({ baseUrl, token: () => token });
    const email = `bench-${randomUUID()}@example.com`;
    const account = { email, password: randomUUID(), name: 'Bench' };
    ({ token } = await client.auth.signUp(account, { signal: stop }));
    const { id } = await client.projects.create({ name: 'Bench' }, { signal: stop });
    return new BenchProject(client, id, stop);
  }

  async availableRoles(): Promise<string[]> {
    const types = await this.#client.agentTypes.list({ signal: this.#stop });
    return types.filter(({ available }) => available).map(({ role }) => role);
  }

  async createTemplate(variables: Readonly<Record<string, string>>): Promise<string> {
    const template = { name: `bench-${randomUUID()}`, variables };
    return (await this.#client.envTemplates.create(this.#id, template)).id;
  }

  async createAgentTemplate(role: BenchTemplate['role'], tools: BenchTool[]): Promise<string> {
    const template = { name: `bench-${randomUUID()}`, role, tools };
    return (await this.#client.agentTemplates.create(this.#id, template)).id;
  }

  async createSession(): Promise<string> {
    return (await this.#client.sessions.create(this.#id, { name: 'bench' })).id;
  }

  async access(sessionId: string): Promise<{ readonly url: string; readonly token: string }> {
    const { serverUrl, participantToken } = await this.#client.sessions.createToken(sessionId);
    return { url: serverUrl, token: participantToken };
  }

  async startAgent(sessionId: string, agent: NewAgent): Promise<string> {
    const signal = AbortSignal.any([this.#stop, AbortSignal.timeout(TIMEOUT_MS)]);
    const { id } = await this.#client.agents.start(sessionId, agent, { signal });
    await this.#client.agents.untilRunning(id, { signal });
    return id;
  }

  async stopAgent(id: string): Promise<AgentTimeline> {
    const { agents } = this.#client;
    const signal = AbortSignal.any([this.#stop, AbortSignal.timeout(TIMEOUT_MS)]);
    await agents.stop(id, { signal });
    while ((await agents.get(id, { signal })).status !== 'Stopped') {
      if (!(await pause(POLL_MS, signal))) {
        throw new StartError('An agent has not stopped: check the log of the API.');
      }
    }
    return await agents.timeline(id, { signal });
  }
}
