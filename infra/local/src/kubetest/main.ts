import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { aborted, runMain, StartError } from '@session/kit';
import { openProgress } from '../supervision/progress.ts';
import { shellWord } from '../supervision/shell-word.ts';
import { run } from '../supervision/tool.ts';
import { prepareKubetest, readCluster } from './cluster.ts';
import { productImages } from './images.ts';
import { provideKubetest } from './program.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const folder = path.join(root, '.cache/cluster');

// The script `cluster`: runs a Kubernetes with the agents' namespace on this machine, for `npm start` to use, until Ctrl-C.
await runMain(async (stop) => {
  const program = await provideKubetest(process.env, openProgress(process.stderr));
  const { command, args, options } = await prepareKubetest({
    program,
    folder,
    images: await productImages(),
  });
  // The cluster ends when its standard input closes, and so with this process.
  const child = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  const isReady = once(createInterface(child.stdout), 'line').then(() => true);
  if (!(await Promise.race([isReady, exit.then(() => false)]))) {
    throw new StartError(`The cluster did not start: see ${path.join(folder, 'log')}.`);
  }
  const { kubeconfig } = await readCluster(folder);
  const agents = path.join(root, 'infra/kubernetes/base/agents');
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  await run(program, ['kubectl', 'apply', '--server-side', '--kustomize', agents], { env });
  process.stdout.write(`The cluster runs until Ctrl-C. In another terminal:
  export KUBECONFIG=${shellWord(kubeconfig)} AGENT_LAUNCHER=kubernetes
  npm start
  ${shellWord(program)} kubectl get pods --namespace agents --watch
`);
  await Promise.race([aborted(stop), exit]);
  child.kill('SIGTERM');
  await exit;
});
