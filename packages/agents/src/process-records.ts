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

const SWEEP_GRACE_MS = 1000;

const UNREADABLE = '.unreadable';

const Records = z.object({
  owner: ProcessIdentity,
  agents: z.record(z.string(), ProcessIdentity),
});
type Records = z.infer<typeof Records>;

export class ProcessRecords implements Disposable {
  readonly #file: string;
  readonly #records: Records;
  readonly deadProcessIds: readonly string[];

  private constructor(file: string, records: Records, deadProcessIds: readonly string[]) {
    this.#file = file;
    this.#records = records;
    this.deadProcessIds = deadProcessIds;
  }

  /**
   * Ends the processes that dead owners left in the folder, and returns new records for `processId`, this process. Renames
   * and reports unreadable files. Throws a StartError when the folder belongs to another user.
   */
  static async open(
    folder: string,
    processId: string,
    onSetAside: (message: string) => void,
  ): Promise<ProcessRecords> {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // The files in the folder name processes that we kill, so nobody else may write them.
    if (statSync(folder).uid !== process.getuid?.()) {
      throw new StartError(
        `${folder} belongs to another user: remove it, or set AGENT_PROCESS_DIR to another folder.`,
      );
    }
    const owner = await identify(process.pid);
    if (!owner) throw new Error('this process has no identity');
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
    const sweeps = names.map(async (name) => {
      const isDead = await sweep(path.join(folder, name), onSetAside);
      return isDead ? [path.basename(name, '.json')] : [];
    });
    const deadProcessIds = (await Promise.all(sweeps)).flat();
    const file = path.join(folder, `${processId}.json`);
    const records = new ProcessRecords(file, { owner, agents: {} }, deadProcessIds);
    records.#write();
    return records;
  }

  add(workloadId: string, identity: ProcessIdentity): void {
    this.#records.agents[workloadId] = identity;
    this.#write();
  }

  remove(workloadId: string): void {
    delete this.#records.agents[workloadId];
    try {
      this.#write();
    } catch (error) {
      process.emitWarning(`writing records of agent processes failed: ${String(error)}`);
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.#file, { force: true });
  }

  #write(): void {
    // A job that cleans temporary folders may have deleted ours.
    mkdirSync(path.dirname(this.#file), { recursive: true, mode: 0o700 });
    const draft = `${this.#file}.draft`;
    writeFileSync(draft, JSON.stringify(this.#records), { mode: 0o600 });
    renameSync(draft, this.#file);
  }
}

async function sweep(file: string, onSetAside: (message: string) => void): Promise<boolean> {
  const records = readOrSetAside(file, onSetAside);
  if (!records || (await isRunning(records.owner))) return false;
  const left = Object.values(records.agents);
  await Promise.all(left.map(end));
  rmSync(file, { force: true });
  return true;
}

async function end(identity: ProcessIdentity): Promise<void> {
  // After the end of a process, its pid and its group may belong to another program.
  if (!(await isRunning(identity))) return;
  await stopProcess(identity, 'SIGTERM', SWEEP_GRACE_MS);
  killGroup(identity.pid);
}

function readOrSetAside(file: string, onSetAside: (message: string) => void): Records | undefined {
  try {
    return Records.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    // Another owner has deleted the file: its own file, or one that it swept.
    if (hasCode(error, 'ENOENT')) return undefined;
    setAside(file, onSetAside);
    return undefined;
  }
}

function setAside(file: string, onSetAside: (message: string) => void): void {
  try {
    renameSync(file, `${file}${UNREADABLE}`);
  } catch (error) {
    // Another owner that is starting has renamed the file.
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  onSetAside(
    `renamed ${file} to *${UNREADABLE}, because it is not a record of agents’ processes: agents that it named may still run`,
  );
}
