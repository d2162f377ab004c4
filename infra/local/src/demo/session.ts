import {
  type Agent,
  type Client,
  isAgentStopped,
  type Message,
  type NewAgent,
  type PlanTemplateBody,
  type SessionState,
} from '@session/client';
import { StartError } from '@session/kit';
import { poll } from './poll.ts';
import { signUp } from './sign-up.ts';

const AGENT_START_MS = 60_000;
const MAX_MESSAGES = 10_000;

/** Disposal closes the session, which also stops its agents. */
export class DemoSession implements AsyncDisposable {
  readonly id: string;
  readonly #projectId: string;
  readonly #client: Client;
  readonly #stop: AbortSignal;

  private constructor(client: Client, projectId: string, id: string, stop: AbortSignal) {
    this.#client = client;
    this.#projectId = projectId;
    this.id = id;
    this.#stop = stop;
  }

  static async open(apiUrl: string, name: string, stop: AbortSignal): Promise<DemoSession> {
    const { client } = await signUp(apiUrl, name, stop);
    const project = await client.projects.create({ name: 'Demo' }, { signal: stop });
    const session = await client.sessions.create(project.id, { name: 'Demo' }, { signal: stop });
    return new DemoSession(client, project.id, session.id, stop);
  }

  async isRecorded(waitMs: number): Promise<boolean> {
    const check = async () => {
      const { recording } = await this.#client.sessions.get(this.id, { signal: this.#stop });
      return recording.status === 'recording' || undefined;
    };
    return (await poll(check, waitMs, this.#stop)) ?? false;
  }

  async access(): Promise<{ url: string; token: string; sessionId: string }> {
    const { serverUrl, participantToken } = await this.#client.sessions.createToken(this.id);
    return { url: serverUrl, token: participantToken, sessionId: this.id };
  }

  async createTemplates(
    plan: PlanTemplateBody,
    variables: Readonly<Record<string, string>>,
  ): Promise<Required<Pick<NewAgent, 'planId' | 'envTemplateId'>>> {
    const { planTemplates, envTemplates } = this.#client;
    const { id: planId } = await planTemplates.create(this.#projectId, plan);
    const { id } = await envTemplates.create(this.#projectId, { name: 'Demo', variables });
    return { planId, envTemplateId: id };
  }

  /** Returns the agent's id once it is in the room. Throws a StartError with the reason if it does not arrive. */
  async startAgent(agent: NewAgent): Promise<string> {
    const late = AbortSignal.timeout(AGENT_START_MS);
    const signal = AbortSignal.any([this.#stop, late]);
    try {
      const { id } = await this.#client.agents.start(this.id, agent, { signal });
      await this.#client.agents.untilRunning(id, { signal });
      return id;
    } catch (error) {
      if (isAgentStopped(error)) {
        const reason = `${error.reason}, ${error.detail ?? 'no detail'}`;
        throw new StartError(`The ${agent.role} has stopped: ${reason}.`);
      }
      if (error !== late.reason) throw error;
      const seconds = AGENT_START_MS / 1000;
      throw new StartError(
        `The ${agent.role} is not in the room after ${seconds} s: check the logs of the stack.`,
      );
    }
  }

  async agent(agentId: string): Promise<Agent> {
    return await this.#client.agents.get(agentId);
  }

  async stopAgent(agentId: string): Promise<void> {
    await this.#client.agents.stop(agentId);
  }

  async state(asOf?: string): Promise<SessionState> {
    return await this.#client.sessions.getState(this.id, { asOf, signal: this.#stop });
  }

  /** Returns the stored history, oldest first, once it `isComplete`, or after `waitMs`. */
  async history(
    isComplete: (history: readonly Message[]) => boolean,
    waitMs: number,
  ): Promise<readonly Message[]> {
    let history: readonly Message[] = [];
    const check = async () => {
      const newestFirst = this.#client.messages.list(this.id, { signal: this.#stop });
      history = (await newestFirst.toArray({ limit: MAX_MESSAGES })).toReversed();
      return isComplete(history) || undefined;
    };
    await poll(check, waitMs, this.#stop);
    return history;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A failure here would hide an earlier one that matters more.
    await this.#client.sessions.close(this.id).catch(() => {});
  }
}
