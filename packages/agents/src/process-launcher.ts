import { EventEmitter } from 'node:events';
import { hasCode, identify, step } from '@session/kit';
import { AgentProcess } from './agent-process.ts';
import type { AgentRole } from './catalogue.ts';
import type { ProcessUser } from './config.ts';
import {
  type AgentLauncher,
  type AgentObservation,
  LaunchRefused,
  type LaunchRequest,
  type LogLine,
  type LogQuery,
  type StartTimes,
  type Workload,
} from './launcher.ts';
import { bytesOf } from './memory.ts';
import { observeWorkloads } from './observe-workloads.ts';
import { ProcessRecords } from './process-records.ts';
import { type Command, commandOf } from './programs.ts';
import { pick } from './proxy-variables.ts';

/**
 * What Node and the media client need from the machine's environment. None of these variables contains one of our secrets.
 */
const MACHINE_VARIABLES = [
  'HOME',
  'LANG',
  'NODE_EXTRA_CA_CERTS',
  'PATH',
  'SSL_CERT_DIR',
  'SSL_CERT_FILE',
  'TMPDIR',
  'TZ',
];

export interface ProcessLauncherOptions {
  readonly folder: string;
  readonly processId: string;
  readonly findProgram: (program: string) => Command | undefined;
  readonly machineEnv: NodeJS.ProcessEnv;
  readonly user?: ProcessUser | undefined;
  readonly shutdownGraceMs: number;
  readonly onWarning: (message: string) => void;
}

interface ProcessEntry {
  readonly workloadId: string;
  readonly process: Promise<AgentProcess>;
  workload: Workload;
  times: StartTimes;
}

/**
 * Runs each agent as a child process. Agents end on disposal, and when this process is killed, because their IPC
 * channel closes. Agents that survive this process are ended by the next launcher that uses the folder.
 */
export class ProcessLauncher implements AgentLauncher {
  readonly #options: ProcessLauncherOptions;
  readonly #records: ProcessRecords;
  readonly #entries = new Map<string, ProcessEntry>();
  readonly #changes = new EventEmitter().setMaxListeners(0);
  #isDisposed = false;

  private constructor(options: ProcessLauncherOptions, records: ProcessRecords) {
    this.#options = options;
    this.#records = records;
  }

  static async open(options: ProcessLauncherOptions): Promise<ProcessLauncher> {
    const { folder, processId, onWarning } = options;
    const records = await ProcessRecords.open(folder, processId, onWarning);
    return new ProcessLauncher(options, records);
  }

  get deadProcessIds(): readonly string[] {
    return this.#records.deadProcessIds;
  }

  async start(request: LaunchRequest): Promise<void> {
    const { workloadId, role } = request;
    const existing = this.#entries.get(workloadId);
    if (existing) return void (await existing.process);
    if (this.#isDisposed) throw new Error('the launcher has been disposed of');
    const command = commandOf(role, this.#options.findProgram);
    if (!command) throw notInstalled(role);
    const started = step('spawn process', () => this.#startProcess(request, command));
    const workload: Workload = { phase: 'waiting' };
    const entry: ProcessEntry = { workloadId, process: started, workload, times: {} };
    this.#entries.set(workloadId, entry);
    try {
      const agent = await started;
      entry.times = { programStartedAt: new Date().toISOString() };
      this.#update(workloadId, { phase: 'running' });
      // A message such as `ready` changes nothing here, but makes observers look at the agent again.
      agent.onMessage(() => this.#update(workloadId, { phase: 'running' }));
      void this.#awaitEnd(workloadId, agent);
    } catch (error) {
      this.#entries.delete(workloadId);
      throw error;
    }
  }

  async stop(workloadId: string, graceSeconds: number): Promise<void> {
    const agent = await this.#entries.get(workloadId)?.process.catch(() => undefined);
    agent?.stop(graceSeconds * 1000);
  }

  async remove(workloadId: string): Promise<void> {
    if (this.#entries.get(workloadId)?.workload.phase !== 'ended') return;
    this.#entries.delete(workloadId);
    this.#report(workloadId, { phase: 'absent' });
  }

  startTimes(workloadId: string): StartTimes {
    return this.#entries.get(workloadId)?.times ?? {};
  }

  observe(signal: AbortSignal): AsyncIterable<AgentObservation> {
    return observeWorkloads(this.#entries.values(), this.#changes, signal);
  }

  async *logs(workloadId: string, query: LogQuery = {}): AsyncGenerator<LogLine> {
    const agent = await this.#entries.get(workloadId)?.process.catch(() => undefined);
    if (agent) yield* agent.logs.read(query);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    const ends = [...this.#entries.values()].map(async (entry) => {
      const agent = await entry.process.catch(() => undefined);
      agent?.evict(this.#options.shutdownGraceMs);
      await agent?.ended;
    });
    await Promise.all(ends);
    this.#records[Symbol.dispose]();
  }

  async #startProcess(
    { workloadId, role, templateVariables, env }: LaunchRequest,
    command: Command,
  ): Promise<AgentProcess> {
    // Only what the role reads, because libraries and runtimes read variables that no list of ours contains.
    const catalogued = role.variables.map(({ name }) => name);
    const wholeEnv = {
      ...pick(templateVariables, catalogued),
      ...env,
      // Comes last, so that an agent's own variables never replace what its runtime needs.
      ...pick(this.#options.machineEnv, MACHINE_VARIABLES),
    };
    const [, memoryLimit] = role.resources.memory;
    const { user } = this.#options;
    const limits = { memoryBytes: bytesOf(memoryLimit), user };
    const agent = await AgentProcess.start(command, wholeEnv, limits).catch(refuseTooLarge);
    try {
      const identity = await identify(agent.pid);
      // Without an identity, the process has already ended, and there is nothing to record.
      if (identity) this.#records.add(workloadId, identity);
      return agent;
    } catch (error) {
      agent.stop(0);
      throw error;
    }
  }

  async #awaitEnd(workloadId: string, { ended }: AgentProcess): Promise<void> {
    const workload = await ended;
    this.#records.remove(workloadId);
    this.#update(workloadId, workload);
  }

  #update(workloadId: string, workload: Workload): void {
    const entry = this.#entries.get(workloadId);
    // The last message of a program may arrive after its end.
    if (!entry || entry.workload.phase === 'ended') return;
    entry.workload = workload;
    this.#report(workloadId, workload);
  }

  #report(workloadId: string, workload: Workload): void {
    const observation: AgentObservation = { type: 'workload', workloadId, workload };
    this.#changes.emit('change', observation);
  }
}

export function notInstalled({ name, program }: AgentRole): LaunchRefused {
  const detail = `The role ${name} needs the program ${program}, which is not installed. The operator must install it.`;
  return new LaunchRefused({ reason: 'bad_configuration', detail });
}

function refuseTooLarge(error: unknown): never {
  if (!hasCode(error, 'E2BIG')) throw error;
  const detail =
    'The agent’s plan or the values of its template are too large for a process. Shorten them.';
  throw new LaunchRefused({ reason: 'bad_configuration', detail });
}
