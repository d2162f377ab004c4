import { isFields } from '@session/contract/room';
import type { ToolCall } from '../model/chat-message.ts';
import { parseJson } from '../parse-json.ts';
import type { PlanMachine } from '../plan/plan-machine.ts';
import type { ToolOutcome } from '../plan/tool-outcome.ts';
import type { PromptHistory } from '../prompt/history.ts';

/** A tool call that was carried out. */
export interface CarriedOut {
  readonly call: ToolCall;
  readonly outcome: ToolOutcome;
}

/**
 * Carries out the tool calls of one answer, one after the other. Values are set before steps are completed: a model that
 * does both at once may name them in any order. The names of speakers, which the prompt alone has, are left out of arguments.
 */
export function* carryOut(
  machine: PlanMachine,
  calls: readonly ToolCall[],
  { at, history }: { readonly at: string; readonly history: PromptHistory },
): Generator<CarriedOut> {
  const values = calls.filter(({ name }) => name === 'set_deliverable');
  const others = calls.filter(({ name }) => name !== 'set_deliverable');
  for (const call of [...values, ...others]) {
    const args = withoutNames(readArguments(call.arguments), history);
    yield { call, outcome: machine.call(call.name, args, at) };
  }
}

function withoutNames(args: unknown, history: PromptHistory): unknown {
  if (!isFields(args)) return args;
  const entries = Object.entries(args).map(([name, value]) => [
    name,
    typeof value === 'string' ? history.withoutNames(value) : value,
  ]);
  return Object.fromEntries(entries);
}

/** Reads the arguments of a call; JSON in a JSON string, as weak models write it, is read as well. */
function readArguments(json: string): unknown {
  const value = parseJson(json);
  return typeof value === 'string' ? parseJson(value) : value;
}
