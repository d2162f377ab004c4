import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { type LocalImage, prepareKubetest, readCluster } from '../src/kubetest/cluster.ts';
import { productImages } from '../src/kubetest/images.ts';
import { provideKubetest } from '../src/kubetest/program.ts';
import { Service } from '../src/supervision/service.ts';
import { startTestRun, type TestRun } from './test-run.ts';

/** Takes more memory than any agent may have, but not all of the machine's. */
const MEMORY_HOG =
  'const all = []; setInterval(() => all.length < 60 && all.push(Buffer.alloc(20_000_000, 1)), 20);';

/** The images that the tests start apart from our agents'. On another cluster, the first one and our agents' must be available. */
const IMAGES: Readonly<Record<string, LocalImage>> = {
  'node:26-alpine': { entrypoint: ['node'], workingDir: '/', user: 1000 },
  // Only on the run's own cluster: programs with ends that agents must not have.
  'test/gorge:1': { entrypoint: ['node', '-e', MEMORY_HOG], workingDir: '/', user: 1000 },
  'test/none:1': { entrypoint: ['/no/such/program'], workingDir: '/', user: 1000 },
};

/** The global setup of the tier `kubernetes`: that of `npm test`, and a cluster, unless KUBECONFIG names one. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  return await startTestRun(project, async (run) => {
    const kubeconfig = process.env['KUBECONFIG'];
    if (kubeconfig) project.provide('cluster', { kubeconfig });
    else await startCluster(project, run);
  });
}

async function startCluster(
  project: TestProject,
  { folder, serviceHost, stack, progress }: TestRun,
): Promise<void> {
  const program = await provideKubetest(process.env, progress);
  const images = { ...IMAGES, ...(await productImages()) };
  const options = { program, folder: path.join(folder, 'kubetest'), images };
  stack.use(await Service.start(await prepareKubetest(options), serviceHost));
  const { kubeconfig, ...own } = await readCluster(options.folder);
  project.provide('cluster', { kubeconfig, own: { ...own, program } });
}
