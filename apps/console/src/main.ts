import { aborted, describeError, loadEnvFile, runMain } from '@session/kit';
import { pino } from 'pino';
import { loadConfig } from './config.ts';
import { receiveDemoAccount } from './demo-channel.ts';
import { serveConsole } from './serve-console.ts';

await runMain(async (stop) => {
  loadEnvFile();
  const config = loadConfig(process.env);
  const log = pino({ level: config.logLevel, serializers: { err: describeError } });
  using demo = receiveDemoAccount(log);
  await using server = await serveConsole(config, log, demo.account);
  log.info({ port: server.port }, 'console started');
  process.send?.('ready');
  await aborted(stop);
});
