import { says, startScriptedModel } from '@session/conversation/testing';
import { expect, test } from 'vitest';
import { loadConfig } from './config.ts';
import { openCoreAgent } from './open-core-agent.ts';

const UNUSED = 'http://127.0.0.1:1/v1';
const failing = async () => await Promise.reject(new Error('no models'));
const away = async () => await Promise.reject(new Error('away'));

test('an agent whose framework does not load shows that it does not hear once a microphone comes', async () => {
  await using agent = await openCoreAgent(configFor(UNUSED), () => {}, failing);
  const { room, shown } = roomWith([]);
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

test('an agent that hears answers spoken words, though a later one hears them too', async () => {
  await using model = await startScriptedModel(says('Yes.'));
  await using agent = await openCoreAgent(configFor(model.baseUrl), () => {}, failing);
  const attributes = { 'lk.agent.state': 'listening', 'session.agent': '2' };
  const later = { identity: 'agent-b', name: 'core-agent', kind: 'agent', sid: 'PA_b' };
  const { room } = roomWith([
    { ...later, attributes: { ...attributes, 'session.hearing': 'true' } },
  ]);
  agent.joined(room);
  const participant = { identity: 'user-ann', name: 'Ann', kind: 'standard', sid: 'PA_ann' };
  const times = { endOfTurnMs: 0, transcribedMs: 0 };
  await agent.said({ participant, trackSid: 'TR_1', text: 'Hello', talkedOver: false, ...times });
  await expect.poll(() => model.requests).toHaveLength(1);
});

function configFor(baseUrl: string) {
  return loadConfig({
    MEDIA_URL: 'ws://127.0.0.1:1',
    MEDIA_TOKEN: 'x',
    MEDIA_ROOM: 'r',
    AGENT_ID: '1',
    LLM_API_KEY: 'x',
    LLM_BASE_URL: baseUrl,
    LLM_MODEL: 'x',
    STT_API_KEY: 'x',
    STT_BASE_URL: UNUSED,
    TTS_PROVIDER: 'none',
    GREETING: 'off',
  });
}

/** Returns a room that takes no texts, and what an agent shows in it about its hearing. */
function roomWith(participants: readonly object[]) {
  const shown: unknown[] = [];
  const room: Parameters<Awaited<ReturnType<typeof openCoreAgent>>['joined']>[0] = Object({
    closed: new Promise<never>(() => {}),
    connection: 1,
    identity: 'agent-core-agent-0a1b2c3d',
    name: 'core-agent',
    participants,
    sendPacket: async () => {},
    sendTextOf: away,
    openText: away,
    untilConnected: async () => {},
    setAttributes: async (attributes: Readonly<Record<string, string>>) => {
      shown.push(...Object.entries(attributes).filter(([name]) => name === 'session.hearing'));
    },
  });
  return { room, shown };
}
