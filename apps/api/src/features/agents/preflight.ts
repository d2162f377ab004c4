import { type AgentType, LaunchDelayed, LaunchRefused } from '@session/agents';
import type { AgentPreflight, NewAgent } from '@session/contract';
import type { SessionStatus } from '@session/db';
import { AppError } from '@session/kit';
import { v7 as uuidv7 } from 'uuid';
import { templateVariables } from '../../background/reconciler/template-variables.ts';
import type { Deps } from '../../deps.ts';
import { refusal, typeOf } from './agent-refusals.ts';
import { chooseEnvTemplate, choosePlan } from './agent-templates.ts';

type Problem = AgentPreflight['problems'][number];

/** The session in which an agent would be started. */
interface Place {
  readonly sessionId: string;
  readonly projectId: string;
  readonly status: SessionStatus;
}

/**
 * Gives all that would keep the agent that `body` asks for from running, in the order of its start; makes nothing. What it
 * says is true for the moment. Throws when that cannot be found out, the database being away.
 */
export async function findProblems(place: Place, body: NewAgent, deps: Deps): Promise<Problem[]> {
  const { agents, config, rooms } = deps;
  const { sessionId, projectId, status } = place;
  const { capacityPerProject } = config.agents;
  const checks = [
    async () => {
      if (status === 'CLOSED') throw refusal('session_closed', 0);
    },
    async () => typeOf(body.role),
    async () => await choosePlan({ projectId, id: body.planId }, deps),
    async () => {
      if ((await agents.countLiveAgents(projectId)) >= capacityPerProject) {
        throw refusal('agent_capacity', capacityPerProject);
      }
    },
    async () => await rooms.listParticipants(sessionId),
  ];
  const found = await Promise.all(checks.map(problemsOf));
  const isKnown = found[1]?.length === 0;
  const ofType = isKnown ? await problemsOfType(typeOf(body.role), place, body, deps) : [];
  return [...found.flat(), ...ofType];
}

async function problemsOfType(
  type: AgentType,
  { sessionId, projectId }: Place,
  { envTemplateId }: NewAgent,
  deps: Deps,
): Promise<Problem[]> {
  const { agents, launches } = deps;
  const checks = [
    async () => {
      const id = await chooseEnvTemplate(type, { projectId, id: envTemplateId }, deps);
      await templateVariables({ envTemplateId: id }, deps);
    },
    async () => {
      const isRunning = await agents.hasLiveAgent({ sessionId, role: type.role });
      if (isRunning) throw refusal('agent_already_running', 0);
    },
    async () => await launches.check({ agentId: uuidv7(), sessionId, projectId, type }),
  ];
  return (await Promise.all(checks.map(problemsOf))).flat();
}

async function problemsOf(check: () => Promise<unknown>): Promise<Problem[]> {
  try {
    await check();
    return [];
  } catch (error) {
    if (error instanceof AppError) return [{ code: error.code, detail: error.detail }];
    if (error instanceof LaunchRefused || error instanceof LaunchDelayed) {
      return [{ code: error.reason, detail: error.detail }];
    }
    throw error;
  }
}
