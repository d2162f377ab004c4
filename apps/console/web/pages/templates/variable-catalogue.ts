import type { AgentType } from '@session/contract';

export type KnownVariable = AgentType['variables'][number];

export const REQUIRED_VARIABLES = ['LLM_API_KEY'];

export function knownVariables(types: readonly AgentType[]): ReadonlyMap<string, KnownVariable> {
  const known = new Map<string, KnownVariable>();
  for (const variable of types.flatMap(({ variables }) => variables)) {
    const isRequired = variable.required || known.get(variable.name)?.required === true;
    known.set(variable.name, { ...variable, required: isRequired });
  }
  return known;
}
