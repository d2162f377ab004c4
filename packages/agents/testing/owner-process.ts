import { ProcessLauncher } from '../src/process-launcher.ts';

// A process that owns agents and that tests kill. Arguments: the folder, its `processId`, and the agents' programs as
// JSON. It sends the pids of its agents when they run.
const [folder = '', processId = '', scripts = '{}'] = process.argv.slice(2);
const programs = new Map(Object.entries<string>(JSON.parse(scripts)));
const launcher = await ProcessLauncher.open({
  folder,
  processId,
  findProgram: (name) => ({ file: process.execPath, args: ['-e', programs.get(name) ?? ''] }),
  machineEnv: process.env,
  shutdownGraceMs: 10_000,
  onWarning: (message) => process.emitWarning(message),
});
const texts = { title: '', description: '', image: '' };
const reads = { restart: 'never', conversation: 'none', variables: [] } as const;
const resources = { cpu: ['1', '1'], memory: ['1Gi', '1Gi'] } as const;
const pids: number[] = [];
for (const program of programs.keys()) {
  const role = { name: program, program, resources, ...texts, ...reads };
  const ids = { workloadId: program, agentId: program, sessionId: 's1', projectId: 'p1' };
  await launcher.start({ ...ids, role, templateVariables: {}, env: {} });
  for await (const { line } of launcher.logs(program, { follow: true })) {
    pids.push(Number(line));
    break;
  }
}
process.send?.(pids);
