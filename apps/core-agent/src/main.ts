import { runAgent } from '@session/agent-kit';
import { ConversingAgent, loadConfig } from '@session/agent-kit/conversation';
import { openModel } from '@session/conversation';

await runAgent({
  role: 'core-agent',
  loadConfig,
  async open(config, log) {
    const model = await openModel(config.settings.model);
    return new ConversingAgent({ ...config, sessionId: config.room.room, model, log });
  },
});
