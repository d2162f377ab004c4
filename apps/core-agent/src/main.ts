import { runAgent } from '@session/agent-kit';
import { loadConfig } from './config.ts';
import { openCoreAgent } from './open-core-agent.ts';

// Some promises of the framework reject when a room is left, and the framework does not handle that.
process.on('unhandledRejection', (reason) => {
  process.stderr.write(`unhandled rejection: ${String(reason)}\n`);
});

await runAgent({ role: 'core-agent', loadConfig, open: openCoreAgent });
