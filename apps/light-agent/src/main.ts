import { runAgent } from '@session/agent-kit';
import { ConversingAgent, loadConfig } from '@session/agent-kit/conversation';
import { openModel, openTools } from '@session/conversation';

void runAgent({
  role: 'light-agent',
  loadConfig,
  async open(config, log) {
    const model = await openModel(config.settings.model, { log });
    const tools = await openTools(config.toolSettings, { log });
    return new ConversingAgent({ ...config, sessionId: config.room.room, model, tools, log });
  },
});
