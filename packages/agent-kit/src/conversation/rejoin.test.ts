import { once } from 'node:events';
import { openModel } from '@session/conversation';
import { expect, test } from 'vitest';
import { ConversingAgent } from './conversing-agent.ts';
import { loadConfig } from './load-config.ts';

test('an agent that joins again looks at once who is there, however long it would have waited', async () => {
  const config = loadConfig({
    MEDIA_URL: 'ws://127.0.0.1:1',
    MEDIA_TOKEN: 'x',
    MEDIA_ROOM: 'r',
    LLM_API_KEY: 'x',
    LLM_BASE_URL: 'http://127.0.0.1:1/v1',
    LLM_MODEL: 'x',
    GREETING: 'off',
  });
  let pauses = 0;
  const pause = async (_delayMs: number, signal: AbortSignal) => {
    pauses += 1;
    if (!signal.aborted) await once(signal, 'abort');
    return false;
  };
  await using agent = new ConversingAgent({
    ...config,
    sessionId: 'r',
    model: await openModel(config.settings.model),
    time: { now: () => 0, pause },
    log: () => {},
  });
  const never = new Promise<never>(() => {});
  const room: Parameters<ConversingAgent['joined']>[0] = Object({
    closed: never,
    connection: 1,
    identity: 'agent-core-agent-0a1b2c3d',
    name: 'r',
    participants: [],
    sendPacket: async () => {},
    setAttributes: async () => {},
    untilConnected: async () => {},
  });
  agent.joined(room);
  await expect.poll(() => pauses).toBe(1);
  agent.joined(room);
  await expect.poll(() => pauses).toBe(2);
});
