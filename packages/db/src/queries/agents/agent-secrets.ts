import { allRows, firstRow, hasRows, nothing } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';
import type { SealedTemplate, SealedVariables } from '../templates/sealed-templates.ts';

export type SealedAgentSecrets = SealedTemplate;

/** Stores the values, unless the agent has values already or has stopped. Returns whether they are stored. */
export const insertAgentSecrets = statement(
  'insert_agent_secrets',
  (agentId: string, { keyId, nonce, ciphertext }: SealedVariables) => [
    agentId,
    keyId,
    nonce,
    ciphertext,
  ],
  hasRows,
)`
insert into agent_secrets (agent_id, key_id, nonce, ciphertext)
select agent.id, $2, $3, $4
from agents agent
where agent.id = $1
  and agent.status <> 'Stopped'
on conflict do nothing
returning 1`;

const SELECTED = `
select
  secrets.agent_id as id,
  session.project_id as "projectId",
  secrets.key_id as "keyId",
  secrets.nonce,
  secrets.ciphertext
from agent_secrets secrets
join agents agent on agent.id = secrets.agent_id
join sessions session on session.id = agent.session_id`;

/** Returns the values; undefined when the agent was started without values, or has stopped. */
export const readAgentSecrets = statement(
  'read_agent_secrets',
  (agentId: string) => [agentId],
  firstRow<SealedAgentSecrets>,
)`${SELECTED}
where secrets.agent_id = $1`;

export const listAgentSecretsOfKeys = statement(
  'list_agent_secrets_of_keys',
  ({ keyIds, after, limit }: { keyIds: readonly string[]; after: string; limit: number }) => [
    keyIds,
    after,
    limit,
  ],
  allRows<SealedAgentSecrets>,
)`${SELECTED}
where secrets.key_id = any ($1::text[])
  and secrets.agent_id > $2
order by secrets.agent_id
limit $3`;

export const resealAgentSecrets = statement(
  'reseal_agent_secrets',
  (agentId: string, formerNonce: Buffer, { keyId, nonce, ciphertext }: SealedVariables) => [
    agentId,
    formerNonce,
    keyId,
    nonce,
    ciphertext,
  ],
  nothing,
)`
update agent_secrets set
  key_id = $3,
  nonce = $4,
  ciphertext = $5
where agent_id = $1
  and nonce = $2`;
