import { EventEmitter, on } from 'node:events';
import { identify } from '@session/kit';
import { AgentProcess } from './agent-process.ts';
import {
  type AgentLaunch,
  type AgentLauncher,
  type AgentObservation,
  LaunchRefused,
  type LogLine,
  type LogQuery,
  type Workload,
} from './launcher.ts';
import { ProcessRecords } from './process-records.ts';
import type { Command } from './programs.ts';

/** What Node and the media client need of the machine, as far as it is set: none of it is ours. */
const MACHINE_VARIABLES = [
  'HOME',
  'LANG',
  'NODE_EXTRA_CA_CERTS',
  'PATH',
  'SSL_CERT_DIR',
  'SSL_CERT_FILE',
  'TMPDIR',
  'TZ',
] as const;

export interface ProcessLauncherOptions {
  /** For the records of what runs; absolute. Many owners may share one. */
  readonly folder: string;
  /** Names this process among the owners. */
  readonly ownerId: string;
  /** Gives the command of a program, or undefined when it is not installed. */
  readonly findProgram: (program: string) => Command | undefined;
  /** Where the variables of the machine are taken from; no others of it reach an agent. */
  readonly machineEnv: NodeJS.ProcessEnv;
  /** How long agents get to end when this launcher goes, and those whose owner is dead when it comes. */
  readonly patienceMs: number;
}

interface Entry {
  readonly process: Promise<AgentProcess>;
  workload: Workload;
}

/**
 * Runs each agent as a child process. They end with us: on disposal; by themselves when we are killed, since their IPC
 * channel closes; and those that cannot, a frozen one say, are ended by the next launcher on the same folder.
 */
export class ProcessLauncher implements AgentLauncher, AsyncDisposable {
  readonly #options: ProcessLauncherOptions;
  readonly #records: ProcessRecords;
  readonly #entries = new Map<string, Entry>();
  readonly #changes = new EventEmitter().setMaxListeners(0);

  private constructor(options: ProcessLauncherOptions, records: ProcessRecords) {
    this.#options = options;
    this.#records = records;
  }

  /** Gives the launcher when all that dead owners left in the folder has ended. */
  static async open(options: ProcessLauncherOptions): Promise<ProcessLauncher> {
    const { folder, ownerId, patienceMs } = options;
    return new ProcessLauncher(options, await ProcessRecords.open(folder, ownerId, patienceMs));
  }

  /** The dead owners whose agents were ended at the start. */
  get predecessors(): readonly string[] {
    return this.#records.predecessors;
  }

  async start(launch: AgentLaunch): Promise<void> {
    const { agentId, type } = launch;
    const standing = this.#entries.get(agentId);
    if (standing) return void (await standing.process);
    const command = this.#options.findProgram(type.program);
    if (!command) {
      const detail = `The program of ${type.role}, ${type.program}, is not installed.`;
      throw new LaunchRefused({ reason: 'bad_configuration', detail });
    }
    const started = this.#startProcess(launch, command);
    this.#entries.set(agentId, { process: started, workload: { phase: 'waiting' } });
    try {
      const agent = await started;
      this.#note(agentId, { phase: 'running' });
      void this.#awaitEnd(agentId, agent);
    } catch (error) {
      this.#entries.delete(agentId);
      throw error;
    }
  }

  async stop(agentId: string, graceSeconds: number): Promise<void> {
    const entry = this.#entries.get(agentId);
    if (!entry) return;
    if (entry.workload.phase === 'ended') {
      this.#entries.delete(agentId);
      this.#tell(agentId, { phase: 'absent' });
    } else {
      const agent = await entry.process.catch(() => undefined);
      agent?.stop(graceSeconds * 1000);
    }
  }

  async *observe(signal: AbortSignal): AsyncGenerator<AgentObservation> {
    // Heard from now on, so that nothing is missed between the list and the changes.
    const changes = on(this.#changes, 'change', { signal });
    for (const [agentId, { workload }] of this.#entries) {
      yield { type: 'workload', agentId, workload };
    }
    yield { type: 'synced' };
    try {
      for await (const [observation] of changes) yield observation;
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async *logs(agentId: string, query: LogQuery = {}): AsyncGenerator<LogLine> {
    const agent = await this.#entries.get(agentId)?.process.catch(() => undefined);
    if (agent) yield* agent.logs.read(query);
  }

  /** Ends all agents, and resolves when none runs. Their ends are told to observers still. */
  async [Symbol.asyncDispose](): Promise<void> {
    const ends = [...this.#entries.values()].map(async (entry) => {
      const agent = await entry.process.catch(() => undefined);
      agent?.evict(this.#options.patienceMs);
      await agent?.ended;
    });
    await Promise.all(ends);
    this.#records[Symbol.dispose]();
  }

  async #startProcess({ agentId, env }: AgentLaunch, command: Command): Promise<AgentProcess> {
    const agent = await AgentProcess.start(command, { ...this.#machineEnv(), ...env });
    const identity = await identify(agent.pid);
    // One that has ended already leaves nothing to find.
    if (identity) this.#records.add(agentId, identity);
    return agent;
  }

  async #awaitEnd(agentId: string, { ended }: AgentProcess): Promise<void> {
    const workload = await ended;
    this.#records.remove(agentId);
    this.#note(agentId, workload);
  }

  #machineEnv(): Record<string, string> {
    const { machineEnv } = this.#options;
    return Object.fromEntries(
      MACHINE_VARIABLES.flatMap((name) => {
        const value = machineEnv[name];
        return value === undefined ? [] : [[name, value]];
      }),
    );
  }

  #note(agentId: string, workload: Workload): void {
    const entry = this.#entries.get(agentId);
    if (!entry) return;
    entry.workload = workload;
    this.#tell(agentId, workload);
  }

  #tell(agentId: string, workload: Workload): void {
    const observation: AgentObservation = { type: 'workload', agentId, workload };
    this.#changes.emit('change', observation);
  }
}
