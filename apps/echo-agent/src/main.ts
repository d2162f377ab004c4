import { runMain, withDeadline } from '@session/kit';
import { agentToken, disposeSdk, joinRoom } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import { type AttendedRoom, attendRoom, RETRY_DELAYS_MS } from './attend-room.ts';
import { type Config, loadConfig } from './config.ts';
import { Echo } from './echo.ts';

const DAY_SECONDS = 86_400;
/** An agent that is asked to stop must end within 5 s, whether it is joining or answering. */
const JOIN_TIMEOUT_MS = 4000;
const FINISH_TIMEOUT_MS = 2000;

await runMain(async (stop) => {
  // The reader of our output may be gone. The agent must go on without it.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const config = loadConfig(process.env);
  if (config.echoMode) {
    log(`ECHO_MODE ${config.echoMode} has no effect yet: text is answered, with text`);
  }
  const echo = new Echo(config.room, log);
  const { url } = config;
  const token = tokenSource(config);
  const onEvent = echo.receive.bind(echo);
  const options = {
    join: async () =>
      await joinRoom({ url, token: await token(), onEvent, timeoutMs: JOIN_TIMEOUT_MS }),
    onJoined: ({ identity }: AttendedRoom) => {
      log(`is in room ${config.room} as ${identity}`);
      if (process.connected) process.send?.('ready');
    },
    finish: () => withDeadline(echo.idle, FINISH_TIMEOUT_MS).catch(() => {}),
    log,
    retryDelaysMs: RETRY_DELAYS_MS,
  };
  try {
    await attendRoom(options, stop);
  } finally {
    await disposeSdk();
  }
});

/** A launcher's token lasts as long as the agent may run. With the keys the agent makes its tokens, for one identity. */
function tokenSource({ url, room, credentials }: Config): () => Promise<string> {
  if ('token' in credentials) return async () => credentials.token;
  const agent = { room, role: 'echo-agent', agentId: uuidv7(), lifetimeSeconds: DAY_SECONDS };
  return async () => (await agentToken({ url, ...credentials }, agent)).token;
}

function log(line: string): void {
  process.stdout.write(`${line}\n`);
}
