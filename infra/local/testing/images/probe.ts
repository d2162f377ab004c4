import * as z from 'zod';

export const PROBE = `
const { readFileSync, writeFileSync } = require('node:fs');
const status = readFileSync('/proc/self/status', 'utf8');
const field = (name) => new RegExp('^' + name + ':\\\\s*(\\\\w+)', 'm').exec(status)[1];
const write = (folder) => {
  try { writeFileSync(folder + '/probe', 'x'); return 'written'; } catch (error) { return error.code; }
};
const folders = ['/tmp', '/', '/app', '/etc', '/usr/local/bin', '/home/node', process.cwd()];
const zone = new Intl.DateTimeFormat('en', { timeZone: 'Europe/Vienna', hour: 'numeric' });
console.log(JSON.stringify({
  user: [process.getuid(), process.getgid()],
  capabilities: field('CapEff') + field('CapBnd'),
  noNewPrivileges: field('NoNewPrivs'),
  seccomp: field('Seccomp'),
  memory: process.constrainedMemory(),
  zone: zone.resolvedOptions().timeZone,
  writes: Object.fromEntries(folders.map((folder) => [folder, write(folder)])),
}));`;

/** A program that takes more memory than any container has. */
export const HOG = 'const all = []; for (;;) all.push(Buffer.alloc(10_000_000, 1));';

/** What the probe reports. */
export const ProbeReport = z.object({
  user: z.array(z.number()),
  capabilities: z.string(),
  noNewPrivileges: z.string(),
  seccomp: z.string(),
  memory: z.number(),
  zone: z.string(),
  writes: z.record(z.string(), z.string()),
});

/** Returns what the probe must report in a container with this memory limit, in bytes. */
export function confined(memory: number): z.infer<typeof ProbeReport> {
  const readOnly = ['/', '/app', '/etc', '/usr/local/bin', '/home/node'];
  return {
    user: [1000, 1000],
    capabilities: '0'.repeat(32),
    noNewPrivileges: '1',
    seccomp: '2',
    memory,
    zone: 'Europe/Vienna',
    writes: {
      '/tmp': 'written',
      ...Object.fromEntries(readOnly.map((folder) => [folder, 'EROFS'])),
    },
  };
}
