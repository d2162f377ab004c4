import { allRows, nothing } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';

/** The hosts to which tools may send a variable, by the variable's name. */
export type Hosts = Readonly<Record<string, readonly string[]>>;

/** Values of an environment template, of an agent or of a webhook, encrypted under the service's key `keyId`. */
export interface SealedVariables {
  readonly keyId: string;
  readonly nonce: Buffer;
  readonly ciphertext: Buffer;
}

export interface SealedTemplate extends SealedVariables {
  readonly id: string;
  readonly projectId: string;
}

export const SEALED_COLUMNS = `template.key_id as "keyId", template.nonce, template.ciphertext`;

/** Returns a template for an agent that uses it, without a check of membership. */
export const readEnvTemplate = statement(
  'read_env_template',
  (id: string) => [id],
  ([template]: (SealedTemplate & { readonly hosts: string })[]):
    | (SealedTemplate & { readonly hosts: Hosts })
    | undefined => template && { ...template, hosts: JSON.parse(template.hosts) },
)`
select template.id, template.project_id as "projectId", template.hosts, ${SEALED_COLUMNS}
from env_templates template
where template.id = $1`;

export const listEnvTemplatesOfOtherKeys = statement(
  'list_env_templates_of_other_keys',
  ({ keyId, after, limit }: { keyId: string; after: string; limit: number }) => [
    keyId,
    after,
    limit,
  ],
  allRows<SealedTemplate>,
)`
select template.id, template.project_id as "projectId", ${SEALED_COLUMNS}
from env_templates template
where template.key_id <> $1
  and template.id > $2
order by template.id
limit $3`;

/** Replaces the sealed values, unless they were replaced since `formerNonce` was read. The template's version stays. */
export const resealEnvTemplate = statement(
  'reseal_env_template',
  (id: string, formerNonce: Buffer, { keyId, nonce, ciphertext }: SealedVariables) => [
    id,
    formerNonce,
    keyId,
    nonce,
    ciphertext,
  ],
  nothing,
)`
update env_templates set
  key_id = $3,
  nonce = $4,
  ciphertext = $5
where id = $1
  and nonce = $2`;
