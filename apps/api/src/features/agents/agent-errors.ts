import type { AgentInsertion, ExceededLimit } from '@session/db';
import { AppError, type ErrorCode } from '@session/kit';

const DETAILS = {
  session_closed: 'The session is closed. Start the agent in another session.',
  agent_already_running:
    'The session already has a live agent with this role and agent template (or with this role and no template). Use that agent, or stop it first.',
  key_ended:
    'The API key has just been deleted, or has a new secret. Send the request again with the new secret.',
  template_gone: 'The named or default template has just been deleted. Name another template.',
} as const satisfies Record<Exclude<AgentInsertion, ExceededLimit | 'inserted'>, string>;

const CODES = {
  session_closed: 'session_closed',
  agent_already_running: 'agent_already_running',
  key_ended: 'unauthorized',
  template_gone: 'not_found',
} as const satisfies Record<keyof typeof DETAILS, ErrorCode>;

export function agentError(reason: keyof typeof DETAILS): AppError {
  const detail = DETAILS[reason];
  return new AppError(CODES[reason], `the agent was not started: ${reason}`, { detail });
}
