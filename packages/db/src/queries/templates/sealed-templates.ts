import { type DatabaseAccess, statement } from '../../statement/statement.ts';

/** To which hosts tools may send a variable, by its name. */
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

export const READ_ENV_TEMPLATE = statement<
  [id: string],
  SealedTemplate & { readonly hosts: string }
>(
  'read_env_template',
  `
select template.id, template.project_id as "projectId", template.hosts, ${SEALED_COLUMNS}
from env_templates template
where template.id = $1`,
);

/** Returns a template for an agent that uses it, without a check of membership. */
export async function readEnvTemplate(
  database: DatabaseAccess,
  id: string,
): Promise<(SealedTemplate & { readonly hosts: Hosts }) | undefined> {
  const [template] = await READ_ENV_TEMPLATE.run(database, id);
  return template && { ...template, hosts: JSON.parse(template.hosts) };
}

export const LIST_ENV_TEMPLATES_OF_OTHER_KEYS = statement<
  [keyId: string, after: string, limit: number],
  SealedTemplate
>(
  'list_env_templates_of_other_keys',
  `
select template.id, template.project_id as "projectId", ${SEALED_COLUMNS}
from env_templates template
where template.key_id <> $1
  and template.id > $2
order by template.id
limit $3`,
);

/** Returns up to `limit` templates sealed with another key than `keyId`, after `after` (at first the least UUID). */
export async function listEnvTemplatesOfOtherKeys(
  database: DatabaseAccess,
  { keyId, after, limit }: { keyId: string; after: string; limit: number },
): Promise<SealedTemplate[]> {
  return [...(await LIST_ENV_TEMPLATES_OF_OTHER_KEYS.run(database, keyId, after, limit))];
}

type ResealParameters = [
  id: string,
  formerNonce: Buffer,
  keyId: string,
  nonce: Buffer,
  ciphertext: Buffer,
];

export const RESEAL_ENV_TEMPLATE = statement<ResealParameters>(
  'reseal_env_template',
  `
update env_templates set
  key_id = $3,
  nonce = $4,
  ciphertext = $5
where id = $1
  and nonce = $2`,
);

/** Replaces the sealed values, unless they were replaced since `formerNonce` was read. The template's version stays. */
export async function resealEnvTemplate(
  database: DatabaseAccess,
  id: string,
  formerNonce: Buffer,
  { keyId, nonce, ciphertext }: SealedVariables,
): Promise<void> {
  await RESEAL_ENV_TEMPLATE.run(database, id, formerNonce, keyId, nonce, ciphertext);
}
