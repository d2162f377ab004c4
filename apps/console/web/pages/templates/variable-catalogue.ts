import type { AgentType } from '@session/contract';

export type KnownVariable = AgentType['variables'][number];

/** The variable that every template must have. */
export const REQUIRED_VARIABLES = ['LLM_API_KEY'];

/** Returns the variables of all roles by their names, in the order of the catalogue. */
export function knownVariables(types: readonly AgentType[]): ReadonlyMap<string, KnownVariable> {
  const known = new Map<string, KnownVariable>();
  for (const variable of types.flatMap(({ variables }) => variables)) {
    const isRequired = variable.required || known.get(variable.name)?.required === true;
    known.set(variable.name, { ...variable, required: isRequired });
  }
  return known;
}
