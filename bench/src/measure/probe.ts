// Loaded before a program that is measured (`node --import`): answers `usage` on its channel with what it has used.

import { existsSync, readdirSync } from 'node:fs';

/** Where Linux lists what a process has open. */
const FILES = '/proc/self/fd';

process.on('message', (message) => {
  if (message !== 'usage') return;
  const { user, system } = process.cpuUsage();
  process.send?.({
    cpuMs: (user + system) / 1000,
    rssMb: process.memoryUsage.rss() / 1e6,
    files: existsSync(FILES) ? readdirSync(FILES).length : Number.NaN,
  });
});
// The bench is gone.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
