import { EventEmitter } from 'node:events';
import path from 'node:path';
import { hasCode, identify } from '@session/kit';
import { AgentProcess } from './agent-process.ts';
import {
  type AgentLaunch,
  type AgentLauncher,
  type AgentObservation,
  LaunchRefused,
  type LogLine,
  type LogQuery,
  type StartTimes,
  type Workload,
} from './launcher.ts';
import { bytesOf } from './memory.ts';
import { ProcessRecords } from './process-records.ts';
import type { Command } from './programs.ts';
import { tellWorkloads } from './tell-workloads.ts';

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

/** Below the folder of the records: what Node has compiled once, which saves an agent's start 0.2 s. */
const COMPILE_CACHE = 'compile-cache';

export interface ProcessLauncherOptions {
  /** For the records of what runs; absolute. Many owners may share one. */
  readonly folder: string;
  /** Names this process among the owners. */
  readonly ownerId: string;
  /** Gives the command of a program, or undefined when it is not installed. */
  readonly findProgram: (program: string) => Command | undefined;
  /** Where the variables of the machine are taken from; no others of it reach an agent. */
  readonly machineEnv: NodeJS.ProcessEnv;
  /** How long agents get to end when this launcher goes. */
  readonly patienceMs: number;
}

interface Entry {
  readonly agentId: string;
  readonly process: Promise<AgentProcess>;
  workload: Workload;
  times: StartTimes;
}

/**
 * Runs each agent as a child process. They end with us: on disposal; by themselves when we are killed, since their IPC
 * channel closes; and those that cannot, a frozen one say, are ended by the next launcher on the same folder.
 */
export class ProcessLauncher implements AgentLauncher {
  readonly #options: ProcessLauncherOptions;
  readonly #records: ProcessRecords;
  readonly #entries = new Map<string, Entry>();
  readonly #changes = new EventEmitter().setMaxListeners(0);
  #isDisposed = false;

  private constructor(options: ProcessLauncherOptions, records: ProcessRecords) {
    this.#options = options;
    this.#records = records;
  }

  /** Gives the launcher when all that dead owners left in the folder has ended. */
  static async open(options: ProcessLauncherOptions): Promise<ProcessLauncher> {
    const { folder, ownerId } = options;
    return new ProcessLauncher(options, await ProcessRecords.open(folder, ownerId));
  }

  /** The dead owners whose agents were ended at the start. */
  get predecessors(): readonly string[] {
    return this.#records.predecessors;
  }

  async start(launch: AgentLaunch): Promise<void> {
    const { agentId, type } = launch;
    const standing = this.#entries.get(agentId);
    if (standing) return void (await standing.process);
    if (this.#isDisposed) throw new Error('the launcher has been disposed of');
    const command = this.#options.findProgram(type.program);
    if (!command) {
      const detail = `The program of ${type.role}, ${type.program}, is not installed.`;
      throw new LaunchRefused({ reason: 'bad_configuration', detail });
    }
    const started = this.#startProcess(launch, command);
    const entry: Entry = { agentId, process: started, workload: { phase: 'waiting' }, times: {} };
    this.#entries.set(agentId, entry);
    try {
      const agent = await started;
      entry.times = { programStartedAt: new Date().toISOString() };
      this.#note(agentId, { phase: 'running' });
      // What it says, that it is ready, is a reason to look at it once more.
      agent.onMessage(() => this.#note(agentId, { phase: 'running' }));
      void this.#awaitEnd(agentId, agent);
    } catch (error) {
      this.#entries.delete(agentId);
      throw error;
    }
  }

  async stop(agentId: string, graceSeconds: number): Promise<void> {
    const agent = await this.#entries.get(agentId)?.process.catch(() => undefined);
    agent?.stop(graceSeconds * 1000);
  }

  async remove(agentId: string): Promise<void> {
    if (this.#entries.get(agentId)?.workload.phase !== 'ended') return;
    this.#entries.delete(agentId);
    this.#tell(agentId, { phase: 'absent' });
  }

  startTimes(agentId: string): StartTimes {
    return this.#entries.get(agentId)?.times ?? {};
  }

  observe(signal: AbortSignal): AsyncIterable<AgentObservation> {
    return tellWorkloads(this.#entries.values(), this.#changes, signal);
  }

  async *logs(agentId: string, query: LogQuery = {}): AsyncGenerator<LogLine> {
    const agent = await this.#entries.get(agentId)?.process.catch(() => undefined);
    if (agent) yield* agent.logs.read(query);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    const ends = [...this.#entries.values()].map(async (entry) => {
      const agent = await entry.process.catch(() => undefined);
      agent?.evict(this.#options.patienceMs);
      await agent?.ended;
    });
    await Promise.all(ends);
    this.#records[Symbol.dispose]();
  }

  async #startProcess(
    { agentId, type, env }: AgentLaunch,
    command: Command,
  ): Promise<AgentProcess> {
    const whole = {
      ...this.#machineEnv(),
      NODE_COMPILE_CACHE: path.join(this.#options.folder, COMPILE_CACHE),
      ...env,
    };
    const [, most] = type.resources.memory;
    const agent = await AgentProcess.start(command, whole, bytesOf(most)).catch(refuseTooLarge);
    try {
      const identity = await identify(agent.pid);
      // One that has ended already leaves nothing to find.
      if (identity) this.#records.add(agentId, identity);
      return agent;
    } catch (error) {
      agent.stop(0);
      throw error;
    }
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
    // What it said last may be heard after its end.
    if (!entry || entry.workload.phase === 'ended') return;
    entry.workload = workload;
    this.#tell(agentId, workload);
  }

  #tell(agentId: string, workload: Workload): void {
    const observation: AgentObservation = { type: 'workload', agentId, workload };
    this.#changes.emit('change', observation);
  }
}

/** Linux gives a program 128 KiB for a variable, and some megabytes for all of them. */
function refuseTooLarge(error: unknown): never {
  if (!hasCode(error, 'E2BIG')) throw error;
  const detail = 'Its plan, or the values of its template, are too large for a process.';
  throw new LaunchRefused({ reason: 'bad_configuration', detail });
}
