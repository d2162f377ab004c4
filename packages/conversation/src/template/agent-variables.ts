import type { AgentTemplateDefinition } from '@session/contract';
import { checkTemplate, KEY_WORDS } from '../settings/index.ts';

const FIELDS: Readonly<Record<string, string>> = {
  INSTRUCTIONS: 'instructions',
  GREETING: 'greeting',
  FAILURE_MESSAGE: 'failureMessage',
  LANGUAGE: 'language',
  TIME_ZONE: 'timeZone',
  LLM_MODEL: 'model.name',
  LLM_TEMPERATURE: 'model.temperature',
  LLM_MAX_OUTPUT_TOKENS: 'model.maxOutputTokens',
  LLM_CONTEXT_TOKENS: 'model.contextTokens',
  LLM_FIRST_TOKEN_MS: 'model.firstTokenMs',
  LLM_BUDGET_TOKENS: 'limits.budgetTokens',
  NUDGE_AFTER_MS: 'limits.nudgeAfterMs',
  LEAVE_AFTER_MINUTES: 'limits.leaveAfterMinutes',
  MAX_TALK_MINUTES: 'limits.maxTalkMinutes',
};

type Values = Pick<
  AgentTemplateDefinition,
  'failureMessage' | 'greeting' | 'instructions' | 'language' | 'limits' | 'model' | 'timeZone'
>;

export function agentVariables(definition: Values): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [name, field] of Object.entries(FIELDS)) {
    const value = valueAt(definition, field);
    if (typeof value === 'string') variables[name] = value;
    // Without an exponent, which the program cannot read.
    if (typeof value === 'number') variables[name] = String(Number(value.toFixed(6)));
  }
  return variables;
}

/** Returns what an agent would refuse in these variables: one sentence for each fault, naming the field. */
export function faultsOfVariables(variables: Readonly<Record<string, string>>): string[] {
  const whole = { LLM_API_KEY: KEY_WORDS[0] ?? '', ...variables };
  return checkTemplate(whole).map(({ variable, message }) =>
    message.replace(variable, FIELDS[variable] ?? variable),
  );
}

function valueAt(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((part, name) => Object(part)[name], value);
}
