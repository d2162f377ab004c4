import type { AgentInsertion, ExceededLimit } from '@session/db';
import { AppError } from '@session/kit';

const DETAILS = {
  session_closed: 'The session is closed. Start the agent in another session.',
  agent_already_running:
    'The session already has a live agent with this role and agent template (or with this role and no template). Use that agent, or stop it first.',
  template_gone: 'The named or default template has just been deleted. Name another template.',
} as const satisfies Record<Exclude<AgentInsertion, ExceededLimit | 'inserted'>, string>;

export function agentError(reason: keyof typeof DETAILS): AppError {
  const code = reason === 'template_gone' ? 'not_found' : reason;
  return new AppError(code, `the agent was not started: ${reason}`, { detail: DETAILS[reason] });
}
