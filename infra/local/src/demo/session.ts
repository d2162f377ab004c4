import { randomUUID } from 'node:crypto';
import {
  Agent,
  Login,
  Message,
  type NewAgent,
  type NewPlanTemplate,
  pageOf,
  Session,
  SessionState,
  SessionToken,
} from '@session/contract';
import { StartError } from '@session/kit';
import * as z from 'zod';
import { DemoApi } from './api.ts';
import { poll } from './poll.ts';

const AGENT_START_MS = 60_000;

const Created = z.object({ id: z.string() });
const Page = pageOf(Message);

/** A new session, used through the API. Disposal closes the session, which also stops its agents. */
export class DemoSession implements AsyncDisposable {
  readonly id: string;
  readonly #projectId: string;
  readonly #api: DemoApi;
  readonly #stop: AbortSignal;

  private constructor(api: DemoApi, projectId: string, id: string, stop: AbortSignal) {
    this.#api = api;
    this.#projectId = projectId;
    this.id = id;
    this.#stop = stop;
  }

  /** Signs a new user up, and creates a project and a session. */
  static async open(apiUrl: string, name: string, stop: AbortSignal): Promise<DemoSession> {
    const api = new DemoApi(apiUrl);
    const account = { email: `demo-${randomUUID()}@example.com`, password: randomUUID(), name };
    const { token } = await api.post('/auth/signup', account, Login);
    api.authenticate(token);
    const project = await api.post('/projects', { name: 'Demo' }, Created);
    const session = await api.post(`/projects/${project.id}/sessions`, { name: 'Demo' }, Created);
    return new DemoSession(api, project.id, session.id, stop);
  }

  /** Whether a recorder is in the room. Waits for it for up to `waitMs`. */
  async isRecorded(waitMs: number): Promise<boolean> {
    const check = async () => {
      const { recording } = await this.#api.get(`/sessions/${this.id}`, Session);
      return recording.status === 'recording' || undefined;
    };
    return (await poll(check, waitMs, this.#stop)) ?? false;
  }

  /** Returns what is needed to join the room. */
  async access(): Promise<{ url: string; token: string; sessionId: string }> {
    const { serverUrl, participantToken } = await this.#api.post(
      `/sessions/${this.id}/token`,
      {},
      SessionToken,
    );
    return { url: serverUrl, token: participantToken, sessionId: this.id };
  }

  /** Creates a plan template and an environment template, and returns the fields that start an agent with both. */
  async createTemplates(
    plan: NewPlanTemplate,
    variables: Readonly<Record<string, string>>,
  ): Promise<Pick<NewAgent, 'planId' | 'envTemplateId'>> {
    const project = `/projects/${this.#projectId}`;
    const { id: planId } = await this.#api.post(`${project}/plan-templates`, plan, Created);
    const template = { name: 'Demo', variables };
    const { id } = await this.#api.post(`${project}/env-templates`, template, Created);
    return { planId, envTemplateId: id };
  }

  /** Starts an agent, and returns its id when it is in the room. Throws a StartError with the reason when it is not. */
  async startAgent(agent: NewAgent): Promise<string> {
    const { id } = await this.#api.post(`/sessions/${this.id}/agents`, agent, Agent);
    const check = async () => {
      const { status, reason, detail } = await this.agent(id);
      if (status === 'Stopped') {
        throw new StartError(`The ${agent.role} has stopped: ${reason}, ${detail ?? 'no detail'}.`);
      }
      return status === 'Running' || undefined;
    };
    if (await poll(check, AGENT_START_MS, this.#stop)) return id;
    throw new StartError(`The ${agent.role} is not in the room after ${AGENT_START_MS / 1000} s.`);
  }

  async agent(agentId: string): Promise<Agent> {
    return await this.#api.get(`/agents/${agentId}`, Agent);
  }

  /** Asks an agent to stop. The agent leaves the room soon after. */
  async stopAgent(agentId: string): Promise<void> {
    await this.#api.delete(`/agents/${agentId}`, Agent);
  }

  /** Returns the state of the session, now or as it was at the time `asOf`. */
  async state(asOf?: string): Promise<SessionState> {
    const query = asOf === undefined ? '' : `?asOf=${encodeURIComponent(asOf)}`;
    return await this.#api.get(`/sessions/${this.id}/state${query}`, SessionState);
  }

  /** Returns the stored history, oldest first: as soon as it `isComplete`, and after `waitMs` at the latest. */
  async history(
    isComplete: (history: readonly Message[]) => boolean,
    waitMs: number,
  ): Promise<readonly Message[]> {
    let history: readonly Message[] = [];
    const check = async () => {
      history = await this.#readHistory();
      return isComplete(history) || undefined;
    };
    await poll(check, waitMs, this.#stop);
    return history;
  }

  async #readHistory(): Promise<readonly Message[]> {
    const newestFirst: Message[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `?cursor=${cursor}`;
      const path = `/sessions/${this.id}/messages${query}`;
      const page: z.infer<typeof Page> = await this.#api.get(path, Page);
      newestFirst.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return newestFirst.toReversed();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A failure here would hide an earlier one that matters more.
    await this.#api.post(`/sessions/${this.id}/close`, {}, Session).catch(() => {});
  }
}
