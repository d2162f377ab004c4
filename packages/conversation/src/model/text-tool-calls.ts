import * as z from 'zod';
import { isTooDeep, parseJson } from '../parse-json.ts';
import { Arguments, type ToolCallPart } from './completion-chunk.ts';

const Fields = z.object({
  name: z.string().optional(),
  tool: z.string().optional(),
  tool_name: z.string().optional(),
  function: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
  arguments: Arguments.optional(),
  parameters: Arguments.optional(),
  args: Arguments.optional(),
  input: Arguments.optional(),
  tool_calls: z.array(z.unknown()).optional(),
});

/**
 * Returns the tool calls in `json`, in any of the forms in which models write them into text; undefined if there are none.
 */
export function readTextToolCalls(json: string): ToolCallPart[] | undefined {
  const value = parseJson(json);
  const calls = isTooDeep(value) ? undefined : callsOf(value);
  return calls && calls.length > 0 ? calls : undefined;
}

export function looksLikeToolCall(text: string): boolean {
  return /\{\s*"(?:name|tool|tool_name|tool_calls|function|type|arguments|parameters)"/.test(
    text.slice(0, 200),
  );
}

function callsOf(value: unknown): ToolCallPart[] | undefined {
  if (Array.isArray(value)) return allCallsOf(value);
  const { data: fields } = Fields.safeParse(value);
  if (!fields) return undefined;
  if (fields.tool_calls) return allCallsOf(fields.tool_calls);
  if (typeof fields.function === 'object') return callsOf(fields.function);
  const name = fields.name ?? fields.tool ?? fields.tool_name ?? fields.function;
  const args = fields.arguments ?? fields.parameters ?? fields.args ?? fields.input;
  // Any JSON may have a name: {"name": "John"}.
  return name && args !== undefined ? [{ name, arguments: args }] : undefined;
}

function allCallsOf(values: readonly unknown[]): ToolCallPart[] | undefined {
  const calls = values.map(callsOf);
  return calls.every((call) => call !== undefined) ? calls.flat() : undefined;
}
