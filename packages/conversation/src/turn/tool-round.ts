import type { ToolCall } from '../model/chat-message.ts';
import { parseJson } from '../parse-json.ts';
import type { PlanMachine } from '../plan/plan-machine.ts';
import type { ToolOutcome } from '../plan/tool-outcome.ts';

/** A tool call that was carried out. */
export interface CarriedOut {
  readonly call: ToolCall;
  readonly outcome: ToolOutcome;
}

/**
 * Carries out the tool calls of one answer, one after the other. Values are set before steps are completed: a model that
 * does both at once may name them in any order.
 */
export function* carryOut(
  machine: PlanMachine,
  calls: readonly ToolCall[],
  at: string,
): Generator<CarriedOut> {
  const values = calls.filter(({ name }) => name === 'set_deliverable');
  const others = calls.filter(({ name }) => name !== 'set_deliverable');
  for (const call of [...values, ...others]) {
    yield { call, outcome: machine.call(call.name, readArguments(call.arguments), at) };
  }
}

/** Reads the arguments of a call; JSON in a JSON string, as weak models write it, is read as well. */
function readArguments(json: string): unknown {
  const value = parseJson(json);
  return typeof value === 'string' ? parseJson(value) : value;
}
