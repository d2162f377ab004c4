import { runMain, withDeadline } from '@session/kit';
import { agentToken, disposeSdk, joinRoom } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import { type AttendedRoom, attendRoom, RETRY_DELAYS_MS } from './attend-room.ts';
import { type Config, loadConfig } from './config.ts';
import { Echo } from './echo.ts';

const DAY_SECONDS = 86_400;
/** Whoever is asked to stop must be gone within 5 s, whether it joins or speaks. */
const JOIN_TIMEOUT_MS = 4000;
const FINISH_TIMEOUT_MS = 2000;

await runMain(async (stop) => {
  // Whoever read our output may have gone: that is no reason to fall silent in mid-sentence.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const config = loadConfig(process.env);
  if (config.echoMode) {
    say(`ECHO_MODE ${config.echoMode} has no effect yet: text is answered, with text`);
  }
  const echo = new Echo(config.room, say);
  const { url } = config;
  const token = tokenSource(config);
  const onEvent = echo.hear.bind(echo);
  const attendance = {
    join: async () =>
      await joinRoom({ url, token: await token(), onEvent, timeoutMs: JOIN_TIMEOUT_MS }),
    onJoined: ({ identity }: AttendedRoom) => {
      say(`is in room ${config.room} as ${identity}`);
      if (process.connected) process.send?.('ready');
    },
    finish: () => withDeadline(echo.idle, FINISH_TIMEOUT_MS).catch(() => {}),
    say,
    retryDelaysMs: RETRY_DELAYS_MS,
  };
  try {
    await attendRoom(attendance, stop);
  } finally {
    await disposeSdk();
  }
});

/** A launcher's token lasts for as long as the agent may; with the keys we make our own, always for the same identity. */
function tokenSource({ url, room, credentials }: Config): () => Promise<string> {
  if ('token' in credentials) return async () => credentials.token;
  const agent = { room, role: 'echo-agent', agentId: uuidv7(), lifetimeSeconds: DAY_SECONDS };
  return async () => (await agentToken({ url, ...credentials }, agent)).token;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
