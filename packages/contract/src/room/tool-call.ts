import { MAX_CALL_PART_BYTES, type ToolCallEvent } from './agent-event.ts';
import { cleanContent, cleanJson, cleanText } from './clean.ts';
import { type Fields, isCount, isFields, isText } from './fields.ts';

export type ToolCallReport = Omit<ToolCallEvent, 'type' | 'id' | 'message' | 'at'> & {
  readonly at?: string;
};

const STATES: ReadonlySet<unknown> = new Set<ToolCallEvent['state']>([
  'started',
  'done',
  'failed',
  'cancelled',
  'timeout',
]);
const MAX_NAME_LENGTH = 128;

/**
 * Returns what a packet reports of a tool call, within its size limits; undefined if call, tool or state are missing or
 * unknown.
 */
export function toolCallReport(packet: Fields): ToolCallReport | undefined {
  const { call, tool, state, source, status, durationMs, at, step } = packet;
  if (!isName(call) || !isName(tool) || !isState(state)) return undefined;
  const args = boundedArguments(packet['arguments']);
  const result = boundedResult(packet['result']);
  return {
    ...(isName(at) && { at: cleanText(at) }),
    call: cleanText(call),
    tool: cleanText(tool),
    source: isName(source) ? cleanText(source) : 'unknown',
    state,
    ...args.fields,
    ...(isCount(status) && { status }),
    ...(isCount(durationMs) && { durationMs }),
    ...result.fields,
    ...((args.isCut || result.isCut || packet['truncated'] === true) && { truncated: true }),
    ...(isName(step) && { step: cleanText(step) }),
  };
}

interface Part {
  readonly fields: Pick<ToolCallReport, 'arguments' | 'result'>;
  readonly isCut: boolean;
}

const NOTHING: Part = { fields: {}, isCut: false };

function boundedArguments(args: unknown): Part {
  if (typeof args !== 'string' && !isFields(args)) return NOTHING;
  const clean = cleanJson(args);
  const json = typeof clean === 'string' ? clean : JSON.stringify(clean);
  const { content, isCut } = cleanContent(json, MAX_CALL_PART_BYTES);
  return { fields: { arguments: isCut ? content : clean }, isCut };
}

function boundedResult(text: unknown): Part {
  if (typeof text !== 'string') return NOTHING;
  const { content: result, isCut } = cleanContent(text, MAX_CALL_PART_BYTES);
  return { fields: { result }, isCut };
}

function isName(value: unknown): value is string {
  return isText(value) && value.length <= MAX_NAME_LENGTH;
}

function isState(value: unknown): value is ToolCallEvent['state'] {
  return STATES.has(value);
}
