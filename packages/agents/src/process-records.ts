import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {
  hasCode,
  identify,
  isRunning,
  killGroup,
  ProcessIdentity,
  StartError,
  stopProcess,
} from '@session/kit';
import * as z from 'zod';

/** Their channel has closed with the owner's end: who still runs a second later will not end by itself. */
const PATIENCE_MS = 1000;

/** What one owner, an API process, has started. */
const Records = z.object({
  owner: ProcessIdentity,
  agents: z.record(z.string(), ProcessIdentity),
});
type Records = z.infer<typeof Records>;

/**
 * The processes that an owner has started, in a file that outlives it. A folder may serve many owners: each sweeps only
 * what dead ones have left.
 */
export class ProcessRecords implements Disposable {
  readonly #file: string;
  readonly #records: Records;
  /** The owners found dead, whose processes have been ended. */
  readonly predecessors: readonly string[];

  private constructor(file: string, records: Records, predecessors: readonly string[]) {
    this.#file = file;
    this.#records = records;
    this.predecessors = predecessors;
  }

  /**
   * Opens the records of `ownerId`, which is this process, after it has ended what dead owners left. Throws a StartError
   * when the folder is another user's.
   */
  static async open(folder: string, ownerId: string): Promise<ProcessRecords> {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Its files name processes for us to kill.
    if (statSync(folder).uid !== process.getuid?.()) {
      throw new StartError(`${folder} belongs to another user: remove it, or name another folder.`);
    }
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
    const swept = names.map(async (name) => {
      const isDead = await sweep(path.join(folder, name));
      return isDead ? [path.basename(name, '.json')] : [];
    });
    const owner = await identify(process.pid);
    if (!owner) throw new Error('a running process has an identity');
    const file = path.join(folder, `${ownerId}.json`);
    const predecessors = (await Promise.all(swept)).flat();
    const records = new ProcessRecords(file, { owner, agents: {} }, predecessors);
    records.#write();
    return records;
  }

  /** Notes that `agentId` is that process now. */
  add(agentId: string, identity: ProcessIdentity): void {
    this.#records.agents[agentId] = identity;
    this.#write();
  }

  /** Forgets the process of `agentId`, which has ended. A record that stays, the disk being full, harms nobody. */
  remove(agentId: string): void {
    delete this.#records.agents[agentId];
    try {
      this.#write();
    } catch (error) {
      process.emitWarning(`a record of processes cannot be written: ${String(error)}`);
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.#file, { force: true });
  }

  /** In one step, and at once: there is no moment at which the file lags behind or is half-written. */
  #write(): void {
    // Whoever cleans a folder for temporary files takes away what is old, and knows nothing of us.
    mkdirSync(path.dirname(this.#file), { recursive: true, mode: 0o700 });
    const draft = `${this.#file}.draft`;
    writeFileSync(draft, JSON.stringify(this.#records), { mode: 0o600 });
    renameSync(draft, this.#file);
  }
}

/** Gives whether the owner of `file` is dead; then its processes are ended and the file is removed. */
async function sweep(file: string): Promise<boolean> {
  const records = read(file);
  if (!records || (await isRunning(records.owner))) return false;
  const left = Object.values(records.agents);
  await Promise.all(left.map(end));
  rmSync(file, { force: true });
  return true;
}

/** Ends a process that leads a group, and what it has started itself. */
async function end(identity: ProcessIdentity): Promise<void> {
  // The group of one that has gone may be a stranger's by now.
  if (!(await isRunning(identity))) return;
  await stopProcess(identity, 'SIGTERM', PATIENCE_MS);
  killGroup(identity.pid);
}

function read(file: string): Records | undefined {
  try {
    return Records.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    // Another owner, just ending or sweeping, has removed it.
    if (hasCode(error, 'ENOENT')) return undefined;
    throw new StartError(`${file} cannot be understood: remove it.`, { cause: error });
  }
}
