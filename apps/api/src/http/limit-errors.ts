import type { ExceededLimit } from '@session/db';
import { AppError } from '@session/kit';
import type { Config } from '../config.ts';

type Limits = Config['limits'];
type AccountLimit = Exclude<ExceededLimit, 'service_agent_capacity'>;

export const ACCOUNT_LIMIT_CODES = [
  'project_capacity',
  'session_capacity',
  'agent_capacity',
  'template_capacity',
  'template_bytes',
] as const satisfies readonly AccountLimit[];

const ALLOWED: Readonly<Record<AccountLimit, (limits: Limits) => string>> = {
  project_capacity: ({ projects }) => `${projects} projects. Delete one of them first.`,
  session_capacity: ({ sessions }) =>
    `${sessions} ACTIVE sessions in all its projects. Close one of them first.`,
  agent_capacity: ({ agents }) => `${agents} agents in all its projects. Stop one of them first.`,
  template_capacity: ({ templates }) =>
    `${templates} templates in all its projects. Delete one of them first.`,
  template_bytes: ({ templateBytes }) =>
    `${templateBytes} bytes of templates in all its projects. Delete or shorten one of them first.`,
};

export function assertWithinLimits<Outcome extends string>(
  outcome: Outcome,
  limits: Limits,
): asserts outcome is Exclude<Outcome, ExceededLimit> {
  if (outcome === 'service_agent_capacity') throw allAgentsError(limits);
  if (isAccountLimit(outcome)) throw accountError(outcome, limits);
}

/** Does the same as `assertWithinLimits` for a change of members by which an owner would take over the project. */
export function assertRoomForProject<Outcome extends string>(
  outcome: Outcome,
  limits: Limits,
): asserts outcome is Exclude<Outcome, AccountLimit> {
  if (!isAccountLimit(outcome)) return;
  const allowed = ALLOWED[outcome](limits);
  const detail = `The project would count for your account, which may have at most ${allowed}`;
  throw new AppError(outcome, `the project was not taken over: ${outcome}`, { detail });
}

export function accountError(code: AccountLimit, limits: Limits): AppError {
  const whose =
    code === 'project_capacity'
      ? ''
      : ' What is in a project counts for the owner who created it or took it over.';
  const detail = `An account may have at most ${ALLOWED[code](limits)}${whose}`;
  return new AppError(code, `the account is at its limit: ${code}`, { detail });
}

export function allAgentsError({ allAgents }: Limits): AppError {
  const detail = `This service runs at most ${allAgents} agents. Start yours when another one has stopped.`;
  return new AppError('service_agent_capacity', 'the service is at its limit of agents', {
    detail,
  });
}

function isAccountLimit(outcome: string): outcome is AccountLimit {
  return outcome in ALLOWED;
}
