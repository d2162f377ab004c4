import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { writeInOneStep } from '../../src/supervision/json-file.ts';
import { RUN_FOLDER, removeFolder } from './run-folder.ts';

const execute = promisify(execFile);
/** The names of all files of an image take some megabytes. */
const MAX_OUTPUT_BYTES = 64 * 2 ** 20;

/**
 * By default podman raises limits, which root may not do in some containers. A machine without systemd has no other manager
 * of cgroups, and no journal. The machine's own networks stay untouched.
 */
const CONTAINERS_CONF = `[containers]
default_ulimits = ["nofile=4096:20000", "nproc=4096:4096"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
[network]
network_config_dir = "${RUN_FOLDER}/networks"
`;

/** Images and containers in a folder of their own, apart from those of the machine. */
export interface ImageStorage {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /**
   * Runs a program on the storage, and returns its output. Throws an Error with the output when the program fails. Builds run
   * with a lower priority (`nice`), so that they hardly slow other tests.
   */
  run(this: void, program: 'buildah' | 'podman', ...args: readonly string[]): Promise<string>;
}

/** Opens the storage in `folder`, which is created when it is missing. */
export async function openImageStorage(folder: string): Promise<ImageStorage> {
  await mkdir(folder, { recursive: true });
  const [conf, storageConf] = [
    path.join(folder, 'containers.conf'),
    path.join(folder, 'storage.conf'),
  ];
  // A podman that starts meanwhile must not read an empty file, because it would then set limits that runc refuses.
  await writeInOneStep(conf, CONTAINERS_CONF);
  await writeInOneStep(
    storageConf,
    `[storage]\ndriver = "overlay"\ngraphroot = "${folder}/graph"\nrunroot = "${folder}/run"\n`,
  );
  const env = {
    ...process.env,
    CONTAINERS_CONF: conf,
    CONTAINERS_STORAGE_CONF: storageConf,
    // A buildah that is killed leaves a folder there.
    TMPDIR: RUN_FOLDER,
  };
  return {
    folder,
    env,
    async run(program, ...args) {
      const [command, ...before] = program === 'buildah' ? (['nice', program] as const) : [program];
      const { stdout } = await execute(command, [...before, ...args], {
        env,
        maxBuffer: MAX_OUTPUT_BYTES,
      });
      return stdout.trim();
    },
  };
}

/** Removes what runs in the storage, and unmounts everything below its folder. Images stay. */
export async function closeImageStorage({ folder, run }: ImageStorage): Promise<void> {
  await run('podman', 'rm', '--all', '--force', '--time=1', '--volumes');
  await run('buildah', 'rm', '--all');
  const mounts = (await readFile('/proc/self/mounts', 'utf8'))
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((target) => target.startsWith(`${folder}/`));
  for (const target of mounts.toReversed()) await execute('umount', ['--lazy', target]);
}

/** Closes the storage, and removes it with all images. */
export async function removeImageStorage(storage: ImageStorage): Promise<void> {
  await closeImageStorage(storage);
  await removeFolder(storage.folder);
}
