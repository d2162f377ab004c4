import { runAgent } from '@session/agent-kit';
import { CombinedAgent } from './combined-agent.ts';
import { loadConfig } from './config.ts';
import { Echo } from './echo.ts';
import { SpeechEcho } from './speech-echo.ts';

await runAgent({
  role: 'echo-agent',
  loadConfig,
  open({ room, echoMode }, log) {
    log(`echo mode: ${echoMode}`);
    return new CombinedAgent([
      ...(echoMode === 'audio' ? [] : [new Echo(room.room, log)]),
      ...(echoMode === 'text' ? [] : [new SpeechEcho(log)]),
    ]);
  },
});
