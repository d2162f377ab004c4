import { runAgent } from '@session/agent-kit';
import { CombinedAgent } from './combined-agent.ts';
import { loadConfig } from './config.ts';
import { Echo } from './echo.ts';
import { SpeechEcho } from './speech-echo.ts';

void runAgent({
  role: 'echo-agent',
  loadConfig,
  open({ room, echoMode }, log) {
    log(`echo mode: ${echoMode}`);
    if (echoMode === 'text') return new Echo(room.room, log);
    if (echoMode === 'audio') return new SpeechEcho(log);
    return new CombinedAgent([new Echo(room.room, log), new SpeechEcho(log)]);
  },
});
