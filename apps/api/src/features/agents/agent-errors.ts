import type { AgentInsertion, ExceededLimit } from '@session/db';
import { AppError } from '@session/kit';

const DETAILS = {
  session_closed: 'The session is closed. Start the agent in another session.',
  agent_already_running:
    'The session already has an agent of this role with the same agent template, or as this one without any. Use that agent, or stop it first.',
  template_gone: 'The named or default template has just been deleted. Name another template.',
} as const satisfies Record<Exclude<AgentInsertion, ExceededLimit | 'inserted'>, string>;

export function agentError(reason: keyof typeof DETAILS): AppError {
  const code = reason === 'template_gone' ? 'not_found' : reason;
  return new AppError(code, `an agent is not started: ${reason}`, { detail: DETAILS[reason] });
}
