import { isDeepStrictEqual } from 'node:util';
import { EnvTemplate, EnvTemplateChange, EnvVariables } from '@session/contract';
import type { EnvTemplateContent, EnvTemplateRow, SealedVariables } from '@session/db';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import type { Deps } from '../../deps.ts';
import { assertMatch, ifMatchHeaders, replyTagged } from '../../http/entity-tags.ts';
import { assertWithinLimits } from '../../http/limit-errors.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { changedHosts } from './changed-hosts.ts';
import { envTemplateOf, nameTaken, templateParams } from './env-template-schema.ts';
import { assertNotRedirected } from './redirected-secrets.ts';
import type { Vault } from './vault.ts';

const CODES = [
  'forbidden',
  'not_found',
  'changed_meanwhile',
  'name_taken',
  'template_bytes',
  'conflict',
] as const;

export function changeEnvTemplate(app: ZodApp, deps: Deps): void {
  const { authorize, database, inProjectTurn, vault } = deps;
  const { limits } = deps.config;
  const response = { 200: EnvTemplate };
  const schema = {
    tags: ['env-templates'],
    operationId: 'changeEnvTemplate',
    summary: 'Change an environment template',
    description:
      'Changes the variables that are named, and keeps all others; `null` removes a variable with its `hosts`. A change of protocol, host or port of an address, such as `LLM_BASE_URL`, needs the values of the stored keys that are sent there. Agents that run already keep what they have. For an ADMIN.',
    problems: CODES,
    headers: ifMatchHeaders,
    params: templateParams,
    body: EnvTemplateChange,
    response,
  };
  app.patch('/env-templates/:id', { schema }, async (request, reply) => {
    const { userId, params, body, headers } = request;
    const { id } = params;
    const find = () => db.findEnvTemplate(database, { id, userId });
    let outcome: Awaited<ReturnType<typeof db.updateEnvTemplate>>;
    do {
      const row = await authorize(userId, 'writeTemplates', await find());
      assertMatch(headers['if-match'], row);
      const content = changedContent(row, body, vault);
      if (!content) return replyTagged(reply, envTemplateOf(row));
      const { projectId, version } = row;
      outcome = await inProjectTurn(projectId, userId, (unlimited) =>
        db.updateEnvTemplate(unlimited, { ...content, version, by: userId }, limits),
      );
      if (outcome === 'name_taken') throw nameTaken();
      assertWithinLimits(outcome, limits);
      // Another request changed the template since the read: apply this change to its result.
    } while (outcome === 'changed');
    return replyTagged(reply, envTemplateOf(await authorize(userId, 'read', await find())));
  });
}

function changedContent(
  template: EnvTemplateRow & SealedVariables,
  change: EnvTemplateChange,
  vault: Vault,
): EnvTemplateContent | undefined {
  const { id, projectId } = template;
  const former = vault.open(template);
  if (!former) {
    const detail =
      'The values of this template cannot be decrypted with any key of the service: delete the template and create it again.';
    throw new AppError('conflict', 'the template cannot be decrypted', { detail });
  }
  const merged = Object.entries({ ...former, ...change.variables }).filter(isSet);
  const variables = validVariables(Object.fromEntries(merged));
  assertNotRedirected(former, change, variables);
  const name = change.name ?? template.name;
  const hosts = changedHosts(template, change, variables);
  const isDefault = change.isDefault ?? template.isDefault;
  const before = [former, template.name, template.hosts, template.isDefault];
  if (isDeepStrictEqual([variables, name, hosts, isDefault], before)) return undefined;
  const keys = Object.keys(variables).toSorted();
  return { id, projectId, name, keys, hosts, isDefault, ...vault.seal(variables, template) };
}

function isSet(entry: [string, string | null]): entry is [string, string] {
  return entry[1] !== null;
}

function validVariables(variables: Record<string, string>): EnvVariables {
  const result = EnvVariables.safeParse(variables);
  if (result.success) return result.data;
  const faults = result.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
  const detail = `The template would not be valid after the change: ${faults.join('; ')}.`;
  throw new AppError('invalid_request', 'the change would leave no valid template', { detail });
}
