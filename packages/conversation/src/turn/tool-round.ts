import { isFields } from '@session/contract/room';
import type { ToolCall } from '../model/chat-message.ts';
import { parseJson } from '../parse-json.ts';
import type { PlanMachine } from '../plan/plan-machine.ts';
import type { ToolOutcome } from '../plan/tool-outcome.ts';
import type { PromptHistory } from '../prompt/history.ts';

export interface CarriedOut {
  readonly call: ToolCall;
  readonly outcome: ToolOutcome;
}

/**
 * Carries out the tool calls of one answer one after another, values first: a model that sets a value and completes a step at
 * once may name them in any order. Removes the speakers' names from arguments, because only prompts have them.
 */
export function* carryOut(
  machine: PlanMachine,
  calls: readonly ToolCall[],
  { at, history }: { readonly at: string; readonly history: PromptHistory },
): Generator<CarriedOut> {
  const values = calls.filter(({ name }) => name === 'set_deliverable');
  const others = calls.filter(({ name }) => name !== 'set_deliverable');
  for (const call of [...values, ...others]) {
    const args = argumentsOf(call, history);
    yield { call, outcome: machine.call(call.name, args, at) };
  }
}

export function argumentsOf(call: ToolCall, history: PromptHistory): unknown {
  return withoutNames(readArguments(call.arguments), history);
}

function withoutNames(args: unknown, history: PromptHistory): unknown {
  if (!isFields(args)) return args;
  const entries = Object.entries(args).map(([name, value]) => [
    name,
    typeof value === 'string' ? history.withoutNames(value) : value,
  ]);
  return Object.fromEntries(entries);
}

function readArguments(json: string): unknown {
  const value = readValue(json);
  return typeof value === 'string' ? readValue(value) : value;
}

/** Returns undefined only for a blank text. Cut or broken JSON becomes null, so no tool acts on it. */
function readValue(text: string): unknown {
  return text.trim() === '' ? undefined : (parseJson(text) ?? null);
}
