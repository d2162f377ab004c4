import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { runMain, StartError } from '@session/kit';
import { hasGo } from '../src/kubetest/program.ts';

// `npm run test:kubernetes`: the tests that need a cluster, on the one that KUBECONFIG names or on one of their own.
await runMain(async (stop) => {
  const { env } = process;
  if (!env['KUBECONFIG'] && !(await hasGo(env))) {
    const why = 'there is neither a KUBECONFIG nor a Go that could build the test cluster';
    if (env['KUBETEST_REQUIRED'] === '1')
      throw new StartError(`The Kubernetes tests are required, and ${why}.`);
    process.stdout.write(`SKIP the Kubernetes tests: ${why}.\n`);
    return;
  }
  const args = ['run', '--config', 'vitest.kubernetes.config.ts', ...process.argv.slice(2)];
  const child = spawn('vitest', args, { stdio: 'inherit' });
  stop.addEventListener('abort', () => child.kill('SIGTERM'));
  const [code] = await once(child, 'exit');
  process.exitCode = code ?? 1;
});
