import { expect, test } from 'vitest';
import { loadConfig } from './config.ts';
import { openCoreAgent } from './open-core-agent.ts';

const failing = async () => await Promise.reject(new Error('no models'));

test('an agent whose framework does not load shows that it does not hear once a microphone comes', async () => {
  const unused = 'http://127.0.0.1:1/v1';
  const config = loadConfig({
    MEDIA_URL: 'ws://127.0.0.1:1',
    MEDIA_TOKEN: 'x',
    MEDIA_ROOM: 'r',
    LLM_API_KEY: 'x',
    LLM_BASE_URL: unused,
    LLM_MODEL: 'x',
    STT_API_KEY: 'x',
    STT_BASE_URL: unused,
    TTS_PROVIDER: 'none',
    GREETING: 'off',
  });
  await using agent = await openCoreAgent(config, () => {}, failing);
  const shown: unknown[] = [];
  const room: Parameters<typeof agent.joined>[0] = Object({
    closed: new Promise<never>(() => {}),
    connection: 1,
    identity: 'agent-core-agent-0a1b2c3d',
    participants: [],
    sendPacket: async () => {},
    setAttributes: async (attributes: Readonly<Record<string, string>>) => {
      shown.push(...Object.entries(attributes).filter(([name]) => name === 'session.hearing'));
    },
  });
  agent.joined(room);
  const audio: Parameters<NonNullable<typeof agent.hearAudio>>[0] = Object({
    close: async () => {},
  });
  agent.hearAudio?.(audio);
  await expect
    .poll(() => shown)
    .toEqual([
      ['session.hearing', 'true'],
      ['session.hearing', 'false'],
    ]);
});
