import { aborted, loadEnvFile, runMain } from '@session/kit';
import { loadConfig } from './config.ts';
import { receiveDemoAccount } from './demo-channel.ts';
import { createLog } from './log.ts';
import { loadPages } from './pages.ts';
import { serveConsole } from './serve-console.ts';

await runMain(async (stop) => {
  loadEnvFile();
  const config = loadConfig(process.env);
  const log = createLog(config.logLevel);
  const pages = await loadPages(config.pagesFolder);
  using demo = receiveDemoAccount(log);
  await using server = await serveConsole(config, { log, pages, demoAccount: demo.account });
  log.info({ port: server.port, files: pages.files.size }, 'the console is served');
  process.send?.('ready');
  await aborted(stop);
});
