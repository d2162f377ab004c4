import { randomUUID } from 'node:crypto';
import {
  Agent,
  AgentTimeline,
  AgentType,
  Login,
  type NewAgent,
  SessionToken,
} from '@session/contract';
import { pause, StartError } from '@session/kit';
import * as z from 'zod';

const Created = z.object({ id: z.string() });
const AgentTypes = z.array(AgentType);
const POLL_MS = 20;
const TIMEOUT_MS = 130_000;

/** A client of the API that starts agents, each in a session of its own. */
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

  /** Returns the roles whose programs are installed. */
  async availableRoles(): Promise<string[]> {
    const types = await this.#ask('GET', '/agent-types', AgentTypes);
    return types.filter(({ available }) => available).map(({ role }) => role);
  }

  /** Creates an environment template, and returns its id. */
  async createTemplate(variables: Readonly<Record<string, string>>): Promise<string> {
    const templates = `/projects/${this.#projectId}/env-templates`;
    const template = { name: `bench-${randomUUID()}`, variables };
    return (await this.#ask('POST', templates, Created, template)).id;
  }

  /** Creates a session, and returns its id. */
  async createSession(): Promise<string> {
    const sessions = `/projects/${this.#projectId}/sessions`;
    return (await this.#ask('POST', sessions, Created, { name: 'bench' })).id;
  }

  /** Returns what a person needs to join the room of a session. */
  async access(sessionId: string): Promise<{ readonly url: string; readonly token: string }> {
    const path = `/sessions/${sessionId}/token`;
    const { serverUrl, participantToken } = await this.#ask('POST', path, SessionToken, {});
    return { url: serverUrl, token: participantToken };
  }

  /** Starts an agent, and returns its id once it is in the room. */
  async startAgent(sessionId: string, agent: NewAgent): Promise<string> {
    const { id } = await this.#ask('POST', `/sessions/${sessionId}/agents`, Created, agent);
    await this.#until(id, 'Running');
    return id;
  }

  /** Stops an agent, and returns its timeline once it has ended. */
  async stopAgent(id: string): Promise<AgentTimeline> {
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
