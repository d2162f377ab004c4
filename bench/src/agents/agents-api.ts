import { randomUUID } from 'node:crypto';
import { Agent, AgentTimeline, Login } from '@session/contract';
import { pause, StartError } from '@session/kit';
import * as z from 'zod';

const Created = z.object({ id: z.string() });
const POLL_MS = 20;
const TIMEOUT_MS = 130_000;

/** A client of the API that starts one agent after another. */
export class AgentsApi {
  readonly #url: string;
  readonly #stop: AbortSignal;
  #token = '';
  #projectId = '';

  private constructor(url: string, stop: AbortSignal) {
    this.#url = url;
    this.#stop = stop;
  }

  /** Signs up, creates a project, and returns a client that uses it. */
  static async open(url: string, stop: AbortSignal): Promise<AgentsApi> {
    const api = new AgentsApi(url, stop);
    const email = `bench-${randomUUID()}@example.com`;
    const account = { email, password: randomUUID(), name: 'Bench' };
    api.#token = (await api.#ask('POST', '/auth/signup', Login, account)).token;
    api.#projectId = (await api.#ask('POST', '/projects', Created, { name: 'Bench' })).id;
    return api;
  }

  /** Starts an echo agent in a session of its own, stops it once it is in the room, and returns its timeline. */
  async runAgent(): Promise<AgentTimeline> {
    const sessions = `/projects/${this.#projectId}/sessions`;
    const session = await this.#ask('POST', sessions, Created, { name: 'bench' });
    const url = `/sessions/${session.id}/agents`;
    const { id } = await this.#ask('POST', url, Created, { role: 'echo-agent' });
    await this.#until(id, 'Running');
    await this.#ask('DELETE', `/agents/${id}`, Created);
    await this.#until(id, 'Stopped');
    return await this.#ask('GET', `/agents/${id}/timeline`, AgentTimeline);
  }

  async #until(id: string, status: Agent['status']): Promise<void> {
    const deadline = performance.now() + TIMEOUT_MS;
    for (;;) {
      const agent = await this.#ask('GET', `/agents/${id}`, Agent);
      if (agent.status === status) return;
      if (agent.status === 'Stopped' || performance.now() > deadline) {
        throw new StartError(`An agent is not ${status}: ${agent.reason} ${agent.detail}`);
      }
      if (!(await pause(POLL_MS, this.#stop))) throw new StartError('Stopped.');
    }
  }

  async #ask<Shape extends z.ZodType>(
    method: 'DELETE' | 'GET' | 'POST',
    path: string,
    shape: Shape,
    body?: object,
  ): Promise<z.output<Shape>> {
    const answer = await fetch(`${this.#url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: this.#stop,
    });
    if (!answer.ok) throw new StartError(`${path} answers ${answer.status}`);
    return shape.parse(await answer.json());
  }
}
