import { StartError } from '@session/kit';
import type * as z from 'zod';
import { proxyVariables } from './proxy-variables.ts';
import type { ConversationSettings } from './settings.ts';
import { settingsOf } from './settings-of.ts';
import { Variables, type VariableValues } from './variables.ts';

interface VariableFault {
  readonly variable: string;
  readonly message: string;
}

type TemplateValues = Readonly<Record<string, string | undefined>>;

function readSettings(
  variables: TemplateValues,
):
  | { readonly settings: ConversationSettings; readonly faults?: never }
  | { readonly settings?: never; readonly faults: readonly VariableFault[] } {
  const present = Object.fromEntries(Object.entries(variables).filter(([, value]) => value));
  const result = Variables.safeParse(present);
  if (!result.success) {
    return { faults: faultsOf(result.error, present) };
  }
  const faults = crossFaults(result.data);
  return faults.length > 0
    ? { faults }
    : { settings: settingsOf(result.data, proxyVariables(present)) };
}

/** Returns the faults of an environment template. If there are none, a conversational agent can start with it. */
export function checkTemplate(variables: TemplateValues): readonly VariableFault[] {
  return readSettings(variables).faults ?? [];
}

/** Reads the variables of an environment template and ignores all others. Throws a StartError with one line for each fault. */
export function loadSettings(variables: TemplateValues): ConversationSettings {
  const { settings, faults } = readSettings(variables);
  if (settings) return settings;
  throw new StartError(faults.map(({ message }) => message).join('\n'));
}

function faultsOf({ issues }: z.ZodError, present: TemplateValues): VariableFault[] {
  const rules = new Map(issues.toReversed().map(({ path, message }) => [String(path[0]), message]));
  return Array.from(rules, ([variable, rule]) => {
    if (Object.hasOwn(present, variable)) return faultOf(variable, rule);
    return { variable, message: `${variable} is not set: a value is needed` };
  }).toReversed();
}

function crossFaults(values: VariableValues): VariableFault[] {
  const rules = [
    {
      variable: 'LLM_MAX_OUTPUT_TOKENS',
      isKept: values.LLM_MAX_OUTPUT_TOKENS * 2 <= values.LLM_CONTEXT_TOKENS,
      rule: 'at most half of LLM_CONTEXT_TOKENS',
    },
    {
      variable: 'TURN_MAX_MS',
      isKept: values.TURN_MIN_MS <= values.TURN_MAX_MS,
      rule: 'at least TURN_MIN_MS',
    },
  ];
  return rules.filter(({ isKept }) => !isKept).map(({ variable, rule }) => faultOf(variable, rule));
}

function faultOf(variable: string, rule: string): VariableFault {
  return { variable, message: `${variable} is not valid: ${rule}` };
}
