import { runAgent } from '@session/agent-kit';
import { loadConfig } from './config.ts';
import { openCoreAgent } from './open-core-agent.ts';

// The framework does not handle promises that may reject when a room is left.
process.on('unhandledRejection', (reason) => {
  process.stderr.write(`unhandled rejection: ${String(reason)}\n`);
});

await runAgent({ role: 'core-agent', loadConfig, open: openCoreAgent });
