import { isDeepStrictEqual } from 'node:util';
import { AgentTemplate, AgentTemplateChange, AgentTemplateDefinition } from '@session/contract';
import type { AgentTemplateRow } from '@session/db';
import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import { assertMatch, ifMatchHeaders, replyTagged } from '../../http/entity-tags.ts';
import { assertWithinLimits } from '../../http/limit-errors.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { noVersion, templateParams, withDefinition } from './agent-template-schema.ts';
import { changedDefinition } from './definition.ts';
import { assertSuccessors } from './successors.ts';

export function changeAgentTemplate(app: ZodApp, deps: Deps): void {
  const { authorize, database, inProjectTurn } = deps;
  const { limits } = deps.config;
  const response = { 200: AgentTemplate };
  const schema = {
    tags: ['agent-templates'],
    operationId: 'changeAgentTemplate',
    summary: 'Change an agent template',
    description:
      'Replaces the fields that are sent, as a whole; `null` removes a field. A change makes a new version: agents that run keep theirs. `restore` brings a former version back. For an ADMIN.',
    problems: ['forbidden', 'not_found', 'changed_meanwhile', 'template_bytes'] as const,
    headers: ifMatchHeaders,
    params: templateParams,
    body: AgentTemplateChange,
    response,
  };
  app.patch('/agent-templates/:id', { schema }, async (request, reply) => {
    const { userId, params, body, headers } = request;
    const find = () => db.findAgentTemplate(database, { ...params, userId });
    const expected = body.version === undefined ? undefined : `"${body.version}"`;
    let outcome: Awaited<ReturnType<typeof db.updateAgentTemplate>> | undefined;
    do {
      const row = await authorize(userId, 'writeTemplates', await find());
      assertMatch(headers['if-match'], row);
      assertMatch(expected, row);
      const { id, projectId, version, name, role } = row;
      const content = await changed(row, body);
      const former = { name, role, definition: AgentTemplateDefinition.parse(row.definition) };
      if (isDeepStrictEqual(content, former)) break;
      const template = { id, projectId, version, by: userId, ...content };
      outcome = await inProjectTurn(projectId, userId, (unlimited) =>
        db.updateAgentTemplate(unlimited, template, limits),
      );
      assertWithinLimits(outcome, limits);
      // Another request changed the template since the read, or deleted it.
    } while (outcome === 'changed');
    return replyTagged(reply, withDefinition(await authorize(userId, 'read', await find())));
  });

  async function changed(row: AgentTemplateRow, { restore, ...change }: AgentTemplateChange) {
    if (restore !== undefined) {
      const key = { projectId: row.projectId, templateId: row.id, version: restore };
      const former = await db.findAgentTemplateVersion(database, key);
      if (!former) throw noVersion(restore);
      const definition = AgentTemplateDefinition.parse(former.definition);
      await assertSuccessors(database, { ...row, definition });
      return { name: former.name, role: former.role, definition };
    }
    const { version: _version, name = row.name, role = row.role, ...fields } = change;
    const former = AgentTemplateDefinition.parse(row.definition);
    const definition = changedDefinition(former, fields);
    // Other changes must stay possible after a successor was deleted.
    const names = new Set(definition.variables.map((variable) => variable.name));
    const losesName = former.variables.some((variable) => !names.has(variable.name));
    if (losesName || !isDeepStrictEqual(former.handover, definition.handover)) {
      await assertSuccessors(database, { ...row, definition });
    }
    return { name, role, definition };
  }
}
