// Loaded into a measured program with `node --import`: answers `usage` on the program's channel with the CPU time, the
// memory and the files that the program uses.

import { existsSync, readdirSync } from 'node:fs';

const OPEN_FILES = '/proc/self/fd';

process.on('message', (message) => {
  if (message !== 'usage') return;
  const { user, system } = process.cpuUsage();
  process.send?.({
    cpuMs: (user + system) / 1000,
    rssMb: process.memoryUsage.rss() / 1e6,
    files: existsSync(OPEN_FILES) ? readdirSync(OPEN_FILES).length : Number.NaN,
  });
});
// The bench has ended.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
