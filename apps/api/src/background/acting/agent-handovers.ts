import { type AgentRole, requiredVariables } from '@session/agents';
import { AgentTemplateDefinition } from '@session/contract';
import { agentIdentity, type HandoverRefusedPacket, isFields } from '@session/contract/room';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import type { RoomService } from '@session/media/server';
import { v7 as uuidv7 } from 'uuid';
import type { Config } from '../../config.ts';
import { agentError } from '../../features/agents/agent-errors.ts';
import { roleOf } from '../../features/agents/agent-schema.ts';
import { chooseAgentTemplate, chooseEnvTemplate } from '../../features/agents/agent-templates.ts';
import { assertWithinLimits } from '../../http/limit-errors.ts';
import type { Log } from '../../http/log-stream.ts';

const Allowed = AgentTemplateDefinition.shape.handover;

export interface AgentHandoverDeps {
  readonly database: db.DatabaseAccess;
  readonly config: Pick<Config, 'agents' | 'limits'>;
  readonly rooms: Pick<RoomService, 'sendPacketTo'>;
  readonly log: Log;
}

interface Request {
  readonly id: string;
  readonly isOld: boolean;
  readonly state: unknown;
  readonly agentTemplateId: unknown;
}

/**
 * Starts the agent to which the newest request in `acts` hands over, unless its predecessor no longer waits for it. If
 * no agent can be started, reports the reason to the predecessor. Stops a successor that is still Starting when its
 * predecessor has given up, or asks for another one.
 *
 * Returns false when the request must be retried: an agent with the same template is about to stop, or an earlier
 * successor is no longer Starting.
 */
export async function carryOutHandover(
  agent: db.ActingAgentRow,
  acts: readonly db.AgentAct[],
  deps: AgentHandoverDeps,
): Promise<boolean> {
  const request = newestRequest(acts);
  const allowed = Allowed.safeParse(agent.handover).data?.agents ?? [];
  const { agentTemplateId } =
    allowed.find((one) => one.agentTemplateId === request?.agentTemplateId) ?? {};
  if (!request || agentTemplateId === undefined) return true;
  const { id: handoverId, isOld, state } = request;
  if (state === 'expired') {
    await cancelHandover(agent, deps);
    return true;
  }
  if (isOld) return true;
  const isOther = agent.successorId !== null && agent.successorHandoverId !== handoverId;
  if (isOther && !(await cancelHandover(agent, deps))) return false;
  return await startSuccessor(agent, { handoverId, agentTemplateId }, deps);
}

async function cancelHandover(
  { id: agentId, sessionId, successorId }: db.ActingAgentRow,
  { database, log }: AgentHandoverDeps,
): Promise<boolean> {
  if (successorId === null) return false;
  if (!(await db.cancelHandover(database, { id: agentId, sessionId, successorId }))) return false;
  log.info(
    { agentId, sessionId, successorId },
    'stopped successor; its predecessor no longer waits for it',
  );
  return true;
}

export async function finishHandover(
  { id: agentId, sessionId, successorId, isSuccessorRunning }: db.ActingAgentRow,
  { database, log }: AgentHandoverDeps,
): Promise<void> {
  if (successorId === null || !isSuccessorRunning) return;
  if (!(await db.finishHandover(database, { id: agentId, sessionId, successorId }))) return;
  log.info({ agentId, sessionId, successorId }, 'agent handed its conversation over');
}

/** Returns the newest request for a handover to an agent. Ignores handovers to people. */
function newestRequest(acts: readonly db.AgentAct[]): Request | undefined {
  for (const { id, kind, isOld, report } of acts.toReversed()) {
    const { state, to } = kind === 'handover' && isFields(report) ? report : {};
    const isRequest = state === 'requested' || state === 'expired';
    if (isRequest && isFields(to))
      return { id, isOld, state, agentTemplateId: to['agentTemplateId'] };
  }
  return undefined;
}

interface Successor {
  readonly handoverId: string;
  readonly agentTemplateId: string;
}

async function startSuccessor(
  agent: db.ActingAgentRow,
  { handoverId, agentTemplateId }: Successor,
  deps: AgentHandoverDeps,
): Promise<boolean> {
  const { id: agentId, sessionId } = agent;
  const { database, log } = deps;
  if (await db.isHandedOver(database, { sessionId, handoverId })) return true;
  try {
    const id = await insertSuccessor(agent, { handoverId, agentTemplateId }, deps);
    log.info({ agentId, sessionId, successorId: id }, 'starting successor');
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, detail } = error;
    if (code === 'agent_already_running') {
      const successor = { sessionId, agentTemplateId, handoverId, from: agentId };
      if (!(await db.hasAgentInTheWay(database, successor))) return false;
    }
    log.warn({ agentId, sessionId, agentTemplateId, code, detail }, 'handover refused');
    await tellRefusal(
      agent,
      { type: 'handover_refused', handover: handoverId, code, detail },
      deps,
    );
  }
  return true;
}

async function tellRefusal(
  { id: agentId, role, sessionId }: db.ActingAgentRow,
  packet: HandoverRefusedPacket,
  { rooms, log }: AgentHandoverDeps,
): Promise<void> {
  try {
    await rooms.sendPacketTo(sessionId, agentIdentity({ role, agentId }), packet);
  } catch (error) {
    log.warn({ agentId, sessionId, err: error }, 'reporting refused handover to agent failed');
  }
}

async function insertSuccessor(
  agent: db.ActingAgentRow,
  { handoverId, agentTemplateId }: Successor,
  { database, config: { agents, limits } }: AgentHandoverDeps,
): Promise<string> {
  const { id: from, sessionId, projectId, restartPolicy, createdBy } = agent;
  const variables = await valuesFor(agentTemplateId, agent, database);
  const agentTemplate = await chooseAgentTemplate(database, projectId, {
    agentTemplateId,
    variables,
  });
  const role = roleOf(agentTemplate?.role ?? '', agents.roles);
  const envTemplateId = await envTemplateFor(role, agent, database);
  const id = uuidv7();
  const row = {
    id,
    sessionId,
    role: role.name,
    planId: null,
    envTemplateId,
    agentTemplate,
    handover: { id: handoverId, from },
    config: {},
    restartPolicy: restartPolicy === 'never' ? restartPolicy : role.restart,
    createdBy,
  };
  const outcome = await db.insertAgent(database, row, limits);
  assertWithinLimits(outcome, limits);
  if (outcome !== 'inserted') throw agentError(outcome);
  return id;
}

/** Returns the predecessor's environment template, so that a successor gets no secrets that its predecessor lacks. */
async function envTemplateFor(
  role: AgentRole,
  { projectId, envTemplateId: id }: db.ActingAgentRow,
  database: db.DatabaseAccess,
): Promise<string | null> {
  if (id !== null) return await chooseEnvTemplate(database, role, { projectId, id });
  const missing = requiredVariables(role);
  if (missing.length === 0) return null;
  const detail = `The role ${role.name} needs ${missing.join(', ')}. An agent without an environment template, such as an external agent, hands over no secrets. Start the first agent with an environment template, or hand over to a role that needs no variables.`;
  throw new AppError('env_template_required', 'variables are missing', { detail });
}

async function valuesFor(
  templateId: string,
  { projectId, variables }: db.ActingAgentRow,
  database: db.DatabaseAccess,
): Promise<Record<string, string>> {
  const found = await db.findAgentTemplateVersion(database, {
    projectId,
    templateId,
    version: null,
  });
  if (!found) return {};
  const { variables: own } = AgentTemplateDefinition.parse(found.definition);
  const names = new Set(own.map(({ name }) => name));
  return Object.fromEntries(Object.entries(variables).filter(([name]) => names.has(name)));
}
