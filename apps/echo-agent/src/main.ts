import { runAgent } from '@session/agent-kit';
import { loadConfig } from './config.ts';
import { Echo } from './echo.ts';

await runAgent({
  role: 'echo-agent',
  loadConfig,
  open({ room, echoMode }, log) {
    if (echoMode) log(`ECHO_MODE ${echoMode} has no effect yet: text is answered, with text`);
    return new Echo(room.room, log);
  },
});
