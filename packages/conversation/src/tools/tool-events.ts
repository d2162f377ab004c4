import {
  cutToBytes,
  type Fields,
  MAX_CALL_PART_BYTES,
  type ToolCallEvent,
} from '@session/contract/room';
import { v7 as uuidv7 } from 'uuid';
import type { AgentTool } from './agent-tool.ts';
import type { CallResult } from './call-result.ts';

export interface KnownCall {
  readonly id: string;
  readonly tool: AgentTool;
  readonly args: Fields;
  readonly step: string | undefined;
}

export function startedEvent(call: KnownCall, at: string): ToolCallEvent {
  const { cut, ...args } = argumentsOf(call);
  const { name } = call.tool;
  return {
    ...frame(call, at),
    state: 'started',
    ...args,
    ...(cut && { truncated: true }),
    message: `${name}: started`,
  };
}

export function endedEvent(call: KnownCall, result: CallResult, at: string): ToolCallEvent {
  const { state, status, durationMs } = result;
  const { name, record } = call.tool;
  const { cut, ...args } = argumentsOf(call);
  const text = cutToBytes(result.text, MAX_CALL_PART_BYTES);
  const isCut = result.isCut || text.length < result.text.length;
  const seconds = `${(durationMs / 1000).toFixed(1)} s`;
  const code = state === 'failed' && status !== undefined ? ` (HTTP ${status})` : '';
  const words = {
    done: 'done in',
    failed: `failed${code} after`,
    cancelled: 'cancelled after',
    timeout: 'no answer within',
  };
  return {
    ...frame(call, at),
    state,
    ...args,
    ...(status !== undefined && { status }),
    durationMs: Math.round(durationMs),
    ...(record === 'full' && { result: text }),
    truncated: record === 'full' && (isCut || cut),
    message: `${name}: ${words[state]} ${seconds}`,
  };
}

function frame({ id, tool, step }: KnownCall, at: string) {
  return {
    type: 'tool_call' as const,
    id: uuidv7(),
    at,
    call: id,
    tool: tool.name,
    source: tool.source,
    ...(step !== undefined && { step }),
  };
}

function argumentsOf({ tool, args }: KnownCall): {
  readonly arguments?: unknown;
  readonly cut: boolean;
} {
  if (tool.record === 'outcome') return { cut: false };
  const json = JSON.stringify(args);
  const text = cutToBytes(json, MAX_CALL_PART_BYTES);
  const cut = text.length < json.length;
  return { arguments: cut ? text : args, cut };
}
