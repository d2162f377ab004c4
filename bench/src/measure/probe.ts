// Loaded before a program that is measured (`node --import`): answers `usage` on its channel with what it has used.

process.on('message', (message) => {
  if (message !== 'usage') return;
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMs: (user + system) / 1000, rssMb: process.memoryUsage.rss() / 1e6 });
});
// The bench is gone.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
