import type { FilledTool } from '@session/contract';
import { openTools } from '../src/tools/open-tools.ts';
import type { ToolBox, ToolBoxOptions } from '../src/tools/tool-box.ts';
import { readToolSettings } from '../src/tools/tool-settings.ts';
import type { ConversationCoreOptions } from '../src/turn/conversation.ts';
import { openConversation, type TestConversation } from './read-turn.ts';
import type { ScriptedModel } from './scripted-model.ts';

export const DAY = { day: '2026-12-01' };

export const TOOL_KEY = 'hk-s3cret-"quoted"-1234';

type Fields = Partial<Omit<FilledTool, 'request'>> & {
  readonly request?: Partial<FilledTool['request']>;
};

/** Returns a tool that asks the server on `port` for the rooms of a day. */
export function findRooms(port: number, { request, ...fields }: Fields = {}): FilledTool {
  return {
    name: 'find_rooms',
    description: 'Finds the free rooms of a day.',
    parameters: {
      type: 'object',
      properties: { day: { type: 'string', maxLength: 10 }, guests: { type: 'integer' } },
      required: ['day'],
    },
    request: {
      method: 'GET',
      url: `http://127.0.0.1:${port}/rooms/{day}`,
      headers: {},
      ...request,
    },
    timeoutMs: 10_000,
    onInterrupt: 'cancel',
    record: 'full',
    ...fields,
  };
}

/** Returns a tool that books a room, and whose call continues when a person speaks. */
export function book(port: number, fields: Fields = {}): FilledTool {
  return findRooms(port, {
    name: 'book',
    onInterrupt: 'finish',
    ...fields,
    request: { method: 'POST', url: `http://127.0.0.1:${port}/book`, ...fields.request },
  });
}

/** Returns the variables of an agent with these tools. Loopback is open, and `HOTEL_KEY` may be sent there. */
export function toolVariables(...tools: readonly FilledTool[]): Record<string, string> {
  const { host } = new URL(tools[0]?.request.url.replaceAll(/[{}]/g, '') ?? 'http://x');
  const definition = { version: 1, tools, hosts: { HOTEL_KEY: [host] } };
  return {
    AGENT_DEFINITION: JSON.stringify(definition),
    AGENT_TOOL_NETWORKS: '127.0.0.0/8',
    HOTEL_KEY: TOOL_KEY,
  };
}

export async function openToolBox(
  variables: Readonly<Record<string, string>>,
  options: ToolBoxOptions = {},
): Promise<ToolBox> {
  const box = await openTools(readToolSettings(variables), options);
  if (!box) throw new Error('there is no tool');
  return box;
}

/** Opens a conversation without a plan whose model has these tools. */
export async function talkWith(
  model: ScriptedModel,
  tools: readonly FilledTool[],
  options: Partial<ConversationCoreOptions> = {},
): Promise<TestConversation> {
  const box = await openToolBox(toolVariables(...tools));
  return openConversation(model, { plan: undefined, tools: box, ...options });
}

/** Returns the messages of a request to the model as JSON. */
export function messagesOf({ requests }: ScriptedModel, index: number): string {
  return JSON.stringify(requests.at(index)?.body['messages']);
}
