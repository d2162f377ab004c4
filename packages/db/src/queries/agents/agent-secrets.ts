import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import type { SealedTemplate, SealedVariables } from '../templates/sealed-templates.ts';

export type SealedAgentSecrets = SealedTemplate;

type SealedParameters = [agentId: string, keyId: string, nonce: Buffer, ciphertext: Buffer];

export const INSERT_AGENT_SECRETS = statement<SealedParameters>(
  'insert_agent_secrets',
  `
insert into agent_secrets (agent_id, key_id, nonce, ciphertext)
select agent.id, $2, $3, $4
from agents agent
where agent.id = $1
  and agent.status <> 'Stopped'
on conflict do nothing
returning 1`,
);

/** Stores the values, unless the agent has values already or has stopped. Returns whether they are stored. */
export async function insertAgentSecrets(
  database: DatabaseAccess,
  agentId: string,
  { keyId, nonce, ciphertext }: SealedVariables,
): Promise<boolean> {
  const rows = await INSERT_AGENT_SECRETS.run(database, agentId, keyId, nonce, ciphertext);
  return rows.length === 1;
}

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

export const READ_AGENT_SECRETS = statement<[agentId: string], SealedAgentSecrets>(
  'read_agent_secrets',
  `${SELECTED}
where secrets.agent_id = $1`,
);

/** Returns the values; undefined when the agent was started without values, or has stopped. */
export async function readAgentSecrets(
  database: DatabaseAccess,
  agentId: string,
): Promise<SealedAgentSecrets | undefined> {
  return (await READ_AGENT_SECRETS.run(database, agentId))[0];
}

export const LIST_AGENT_SECRETS_OF_KEYS = statement<
  [keyIds: readonly string[], after: string, limit: number],
  SealedAgentSecrets
>(
  'list_agent_secrets_of_keys',
  `${SELECTED}
where secrets.key_id = any ($1::text[])
  and secrets.agent_id > $2
order by secrets.agent_id
limit $3`,
);

/** Returns up to `limit` agents whose values were sealed with one of the keys, by id, after the agent `after`. */
export async function listAgentSecretsOfKeys(
  database: DatabaseAccess,
  { keyIds, after, limit }: { keyIds: readonly string[]; after: string; limit: number },
): Promise<SealedAgentSecrets[]> {
  return [...(await LIST_AGENT_SECRETS_OF_KEYS.run(database, keyIds, after, limit))];
}

export const RESEAL_AGENT_SECRETS = statement<
  [agentId: string, formerNonce: Buffer, keyId: string, nonce: Buffer, ciphertext: Buffer]
>(
  'reseal_agent_secrets',
  `
update agent_secrets set
  key_id = $3,
  nonce = $4,
  ciphertext = $5
where agent_id = $1
  and nonce = $2`,
);

/** Replaces the sealed values, unless they were replaced since `formerNonce` was read. */
export async function resealAgentSecrets(
  database: DatabaseAccess,
  agentId: string,
  formerNonce: Buffer,
  { keyId, nonce, ciphertext }: SealedVariables,
): Promise<void> {
  await RESEAL_AGENT_SECRETS.run(database, agentId, formerNonce, keyId, nonce, ciphertext);
}
