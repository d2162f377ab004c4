import { runAgent } from '@session/agent-kit';
import { openModel } from '@session/conversation';
import { loadConfig } from './config.ts';
import { LightAgent } from './light-agent.ts';

await runAgent({
  role: 'light-agent',
  loadConfig,
  async open(config, log) {
    const model = await openModel(config.settings.model);
    return new LightAgent({ ...config, sessionId: config.room.room, model, log });
  },
});
