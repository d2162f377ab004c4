import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type AgentUnderTest, launchEnv, startAgent } from '@session/agent-kit/testing';
import type { RoomEvent } from '@session/contract/room';
import { PLANTED_KEY, type ScriptedModel } from '@session/conversation/testing';
import { type Hearing, VoiceUser } from '@session/media/testing';
import { type SpeechEndpoints, type TestMedia, testMedia } from '@session/testing';
import { onTestFinished } from 'vitest';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** The identity of the agent in its room. */
const AGENT = 'agent-core-agent-00000001';

/** A room in which the agent talks with Ann, who has a microphone. */
export interface TalkRoom {
  readonly room: string;
  readonly agent: AgentUnderTest;
  readonly ann: VoiceUser;
  /** The text streams that Ann received, of the agent and of people. */
  readonly texts: () => readonly ReceivedText[];
  /** The packets of the agent. */
  readonly packets: () => readonly unknown[];
}

interface ReceivedText {
  readonly by: string;
  readonly text: string;
  readonly interrupted: boolean;
}

interface TalkRoomOptions {
  readonly server?: TestMedia;
  /** How much of Ann's sound is sent ahead: by default so little that she interrupts in time. */
  readonly queueMs?: number;
}

/** Starts the agent in a room where Ann does not listen. The agent does not greet. */
export async function openTalkRoom(
  model: ScriptedModel,
  speech: SpeechEndpoints,
  variables: Record<string, string> = {},
  { server = testMedia(), ...voice }: TalkRoomOptions = {},
): Promise<TalkRoom> {
  const room = randomUUID();
  const ann = await VoiceUser.join(server, room, 'Ann', voice);
  onTestFinished(() => ann.leave());
  const all: Record<string, string> = { ...variablesOf(model, speech), ...variables };
  const agent = await startCoreAgent(room, all, { server });
  await agent.ready;
  if (all['STT_PROVIDER'] === undefined) await ann.untilListenedTo();
  const texts = () => textsOf(ann);
  return { room, agent, ann, texts, packets: () => ann.events.flatMap(packetOf) };
}

/** Does what `openTalkRoom` does, and lets Ann listen to the agent. */
export async function openVoiceRoom(
  ...given: Parameters<typeof openTalkRoom>
): Promise<TalkRoom & { readonly hearing: Hearing }> {
  const room = await openTalkRoom(...given);
  return { ...room, hearing: await room.ann.hear(AGENT) };
}

/** Returns the text streams that a person received. */
export function textsOf({ events }: VoiceUser): readonly ReceivedText[] {
  return events.flatMap(textOf);
}

/** Starts the agent's program in a room. */
export async function startCoreAgent(
  room: string,
  variables: Record<string, string>,
  {
    server = testMedia(),
    role = 'core-agent',
    agentId,
  }: { server?: TestMedia; role?: string; agentId?: string } = {},
): Promise<AgentUnderTest> {
  const launched = await launchEnv(server, room, role, { agentId });
  return startAgent(main, { ...launched, ...variables });
}

/** Returns the variables of a template that uses scripted endpoints. */
export function variablesOf(model: ScriptedModel, speech: SpeechEndpoints): Record<string, string> {
  return {
    LLM_API_KEY: PLANTED_KEY,
    LLM_BASE_URL: model.baseUrl,
    LLM_MODEL: 'scripted',
    GREETING: 'off',
    // The end-of-turn model takes no sound of the tests for a finished sentence.
    TURN_MAX_MS: '700',
    STT_BASE_URL: speech.baseUrl,
    TTS_BASE_URL: speech.baseUrl,
  };
}

function textOf(event: RoomEvent) {
  if (event.type !== 'text_stream') return [];
  const { text, sender, attributes } = event;
  return [{ by: sender.name, text, interrupted: attributes['session.interrupted'] === 'true' }];
}

function packetOf(event: RoomEvent): unknown[] {
  if (event.type !== 'packet') return [];
  const packet: unknown = JSON.parse(new TextDecoder().decode(event.payload));
  return [packet];
}
