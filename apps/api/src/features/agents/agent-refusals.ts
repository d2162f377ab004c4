import { type AgentType, CATALOGUE, findAgentType } from '@session/agents';
import type { AgentInsertion } from '@session/db';
import { AppError } from '@session/kit';

type Refusal = Exclude<AgentInsertion, 'inserted'>;

const REFUSALS = {
  session_closed: 'The session is closed: start the agent in another one.',
  agent_already_running:
    'An agent of this role has not stopped yet: go on with that one, or stop it first.',
  template_gone:
    'The template that was named, or the default, has just been deleted: name another.',
} as const satisfies Record<Exclude<Refusal, 'agent_capacity'>, string>;

/** Gives the type that a role names; throws `unknown_role`, with those that there are. */
export function typeOf(role: string): AgentType {
  const type = findAgentType(role);
  if (type) return type;
  const known = CATALOGUE.map((other) => other.role).join(', ');
  const detail = `There is no role of that name. There are: ${known}.`;
  throw new AppError('unknown_role', 'no such role', { detail });
}

/** Gives the failure to start an agent in a project that may have `capacity` of them. */
export function refusal(what: Refusal, capacity: number): AppError {
  const code = what === 'template_gone' ? 'not_found' : what;
  const detail = what === 'agent_capacity' ? capacityDetail(capacity) : REFUSALS[what];
  return new AppError(code, `an agent is not started: ${what}`, { detail });
}

function capacityDetail(capacity: number): string {
  return capacity === 0
    ? 'This service is set up to run no agents at all.'
    : `The project may have ${capacity} at a time, and has so many: stop one first.`;
}
