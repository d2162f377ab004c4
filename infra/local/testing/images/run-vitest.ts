import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { runMain } from '@session/kit';
import { run } from '../../src/supervision/tool.ts';

// Runs vitest with the arguments of this process, in the namespaces of `runAlone`: this process is the first one in them.
await runMain(async (stop) => {
  // The shared memory is separate too, so that a killed PostgreSQL leaves none, and podman shares no lock with the machine.
  await run('mount', ['-t', 'tmpfs', 'tmpfs', '/dev/shm']);
  const args = ['run', '--project', 'images', ...process.argv.slice(2)];
  const env = { ...process.env, IMAGES_ALONE: '1' };
  const child = spawn('vitest', args, { env, stdio: ['ignore', 'inherit', 'inherit'] });
  const end = () => void child.kill('SIGTERM');
  stop.addEventListener('abort', end);
  process.stdin.resume().once('end', end);
  const [code] = await once(child, 'exit');
  process.stdin.destroy();
  process.exitCode = typeof code === 'number' ? code : 1;
});
