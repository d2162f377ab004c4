import { ProcessLauncher } from '../src/process-launcher.ts';

// A process that owns agents, for the tests to kill: its folder, its id, and the programs of its agents.
const [folder = '', ownerId = '', scripts = '{}'] = process.argv.slice(2);
const programs = new Map(Object.entries<string>(JSON.parse(scripts)));
const launcher = await ProcessLauncher.open({
  folder,
  ownerId,
  findProgram: (name) => ({ file: process.execPath, args: ['-e', programs.get(name) ?? ''] }),
  machineEnv: process.env,
  patienceMs: 10_000,
});
const type = { title: '', description: '', image: '' };
const rest = { requiredVariables: [], optionalVariables: [] };
const resources = { cpu: ['1', '1'], memory: ['1Gi', '1Gi'] } as const;
const pids: number[] = [];
for (const program of programs.keys()) {
  const launch = { role: program, program, resources, ...type, ...rest };
  await launcher.start({
    agentId: program,
    sessionId: 's1',
    projectId: 'p1',
    type: launch,
    env: {},
  });
  for await (const { line } of launcher.logs(program, { follow: true })) {
    pids.push(Number(line));
    break;
  }
}
process.send?.(pids);
