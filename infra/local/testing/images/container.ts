import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { openImageStorage } from './image-storage.ts';
import { testImages } from './test-images.ts';

/** Longer than a drain. */
const STOP_SECONDS = 40;

export interface ContainerOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** What follows the entrypoint, instead of the image's own command. */
  readonly args?: readonly string[];
  /** In podman's notation, such as `256m`. */
  readonly memory?: string;
}

export interface TestContainer {
  readonly exit: Promise<number>;
  output(this: void): string;
  /** Sends SIGTERM, and SIGKILL after longer than a drain takes. Returns the exit code. */
  stop(this: void): Promise<number>;
}

/**
 * Starts the image `name` as a deployment does: with a read-only root, no capabilities, no new privileges and a memory limit.
 * Only `/tmp` can be written, and what the image declares as a volume. The container is removed at the end of the test.
 */
export async function startContainer(
  name: string,
  { env = {}, args = [], memory = '1g' }: ContainerOptions = {},
): Promise<TestContainer> {
  const { images, storage: folder } = testImages();
  const tag = images.find((image) => image.name === name)?.tag;
  if (!tag) throw new Error(`There is no image ${name}.`);
  const storage = await openImageStorage(folder);
  const container = `test-${name}-${randomUUID()}`;
  const bounds = ['--read-only', '--read-only-tmpfs=false', '--tmpfs=/tmp', '--cap-drop=all'];
  const limits = ['--security-opt=no-new-privileges', `--memory=${memory}`, '--network=host'];
  // By name, so that no value appears in the list of processes.
  const variables = Object.keys(env).map((variable) => `--env=${variable}`);
  const options = ['--rm', `--name=${container}`, ...bounds, ...limits, ...variables];
  const child = spawn('podman', ['run', ...options, tag, ...args], {
    // When the kernel kills a container for its memory, podman's monitor leaves a file in its working folder.
    cwd: folder,
    env: { ...storage.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const exit = once(child, 'close').then(([code]) => Number(code));
  const isUp = () => child.exitCode === null && child.signalCode === null;
  onTestFinished(async () => {
    if (isUp()) await storage.run('podman', 'rm', '--force', '--time=0', '--ignore', container);
  });
  return {
    exit,
    output: () => output,
    async stop() {
      if (isUp()) await storage.run('podman', 'stop', `--time=${STOP_SECONDS}`, container);
      return await exit;
    },
  };
}
