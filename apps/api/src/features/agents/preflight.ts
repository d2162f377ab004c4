import {
  type AgentRole,
  checkVariables,
  LaunchDelayed,
  LaunchRefused,
  type StopReason,
} from '@session/agents';
import { type AgentPreflight, EXTERNAL_ROLE, type NewAgent } from '@session/contract';
import { templateEnvironment } from '@session/conversation/template';
import type { SessionStatus } from '@session/db';
import * as db from '@session/db';
import { AppError, StartError } from '@session/kit';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../../deps.ts';
import { accountError, allAgentsError } from '../../http/limit-errors.ts';
import { agentError } from './agent-errors.ts';
import { roleOf } from './agent-schema.ts';
import {
  type ChosenTemplate,
  chooseAgentTemplate,
  chooseEnvTemplate,
  choosePlan,
} from './agent-templates.ts';
import { type Reach, reachMcpServers } from './mcp-reach.ts';
import { problemsOfModels } from './model-problems.ts';
import { templateContent } from './template-variables.ts';
import { problemsOfTools } from './tool-problems.ts';

type PreflightProblem = AgentPreflight['problems'][number];

interface Findings {
  readonly problems: PreflightProblem[];
  readonly reach?: Reach | undefined;
}

interface TargetSession {
  readonly sessionId: string;
  readonly projectId: string;
  readonly status: SessionStatus;
}

/**
 * Returns the problems that would keep the agent from running now, and the answers of its MCP servers. Checks that
 * depend on a failed check are left out. Throws when the database is away.
 */
export async function findProblems(
  session: TargetSession,
  body: NewAgent,
  deps: Deps,
): Promise<Findings> {
  const { config, database, rooms } = deps;
  const { sessionId, projectId, status } = session;
  const { limits } = config;
  const isExternal = body.role === EXTERNAL_ROLE;
  let template: ChosenTemplate | undefined;
  let role: AgentRole | undefined;
  const checks = [
    async () => {
      if (status === 'CLOSED') throw agentError('session_closed');
    },
    async () => {
      template = await chooseAgentTemplate(database, projectId, body);
      const name = template?.role ?? body.role ?? '';
      if (!isExternal) role = roleOf(name, config.agents.roles);
    },
    async () => await choosePlan(database, { projectId, id: body.planId }),
    async () => {
      const live = await db.countLiveAgents(database, projectId);
      if (limits.agents > 0 && live.ofAccount >= limits.agents) {
        throw accountError('agent_capacity', limits);
      }
      if (limits.allAgents > 0 && live.all >= limits.allAgents) throw allAgentsError(limits);
    },
    async () => await rooms.listParticipants(sessionId),
  ];
  const problems = await Promise.all(checks.map(problemsOf));
  if (isExternal) {
    const agent = { sessionId, role: EXTERNAL_ROLE, agentTemplateId: template?.id ?? null };
    problems.push(await problemsOf(async () => await assertNotRunning(database, agent)));
  }
  const ofRole = role && (await findProblemsOfRole({ role, template }, session, body, deps));
  return { problems: [...problems.flat(), ...(ofRole?.problems ?? [])], reach: ofRole?.reach };
}

interface Program {
  readonly role: AgentRole;
  readonly template: ChosenTemplate | undefined;
}

async function findProblemsOfRole(
  { role, template }: Program,
  { sessionId, projectId }: TargetSession,
  { envTemplateId, config }: NewAgent,
  deps: Deps,
): Promise<Findings> {
  const { database, launchCheck } = deps;
  const agentId = uuidv7();
  const checks = [
    async () =>
      await assertNotRunning(database, {
        sessionId,
        role: role.name,
        agentTemplateId: template?.id ?? null,
      }),
    async () =>
      await launchCheck.check({ workloadId: agentId, agentId, sessionId, projectId, role }),
  ];
  const choice = { projectId, id: envTemplateId };
  // The request overrides the template.
  const own = config?.echoMode === undefined ? {} : { ECHO_MODE: config.echoMode };
  const program = { role, template };
  const [{ problems, reach }, ...others] = await Promise.all([
    findProblemsOfTemplates(program, choice, own, deps),
    ...checks.map(problemsOf),
  ]);
  return { problems: [...problems, ...others.flat()], reach };
}

async function assertNotRunning(
  database: db.DatabaseAccess,
  agent: {
    readonly sessionId: string;
    readonly role: string;
    readonly agentTemplateId: string | null;
  },
): Promise<void> {
  if (await db.hasLiveAgent(database, agent)) throw agentError('agent_already_running');
}

async function findProblemsOfTemplates(
  { role, template }: Program,
  choice: { readonly projectId: string; readonly id: string | null | undefined },
  own: Readonly<Record<string, string>>,
  deps: Deps,
): Promise<Findings> {
  let found: PreflightProblem[] = [];
  let reach: Reach | undefined;
  const problems = await problemsOf(async () => {
    const envTemplateId = await chooseEnvTemplate(deps.database, role, choice);
    const { variables: ofEnvTemplate, hosts } = await templateContent({ envTemplateId }, deps);
    const ofAgentTemplate = template && templateEnvironment(template, hosts);
    const variables = { ...ofEnvTemplate, ...ofAgentTemplate };
    found = checkVariables(role, { ...variables, ...own }).map(problemOfTemplate);
    const hasModel = role.conversation !== 'none' && !role.run;
    if (hasModel && found.length === 0)
      found = await problemsOfModels(variables, deps.config.agents);
    if (!template) return;
    const { agents } = deps.config;
    const ofTools = problemsOfTools(template.definition, { variables, hosts }, agents);
    found = [...found, ...ofTools];
    if (ofTools.length > 0) return;
    const reached = await reachMcpServers(variables, agents);
    found = [...found, ...reached.problems];
    ({ reach } = reached);
  });
  return { problems: [...problems, ...found], reach };
}

function problemOfTemplate(sentence: string): PreflightProblem {
  const detail = `${sentence}. Correct this variable in the agent’s environment template.`;
  return { code: 'bad_configuration' satisfies StopReason, detail };
}

async function problemsOf(check: () => Promise<unknown>): Promise<PreflightProblem[]> {
  try {
    await check();
    return [];
  } catch (error) {
    if (error instanceof AppError) return [{ code: error.code, detail: error.detail }];
    if (error instanceof LaunchRefused || error instanceof LaunchDelayed) {
      return [{ code: error.reason, detail: error.detail }];
    }
    // The agent would end with these sentences, which quote no value.
    if (error instanceof StartError) return error.message.split('\n').map(problemOfTemplate);
    throw error;
  }
}
