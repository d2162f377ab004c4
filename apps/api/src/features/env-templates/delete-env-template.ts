import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { failures } from '../../plugins/openapi.ts';
import type { ZodApp } from '../../zod-app.ts';
import { templateParams } from './env-template-schema.ts';

/** `DELETE /env-templates/:id`: 204. Agents that run keep what they were started with. */
export function deleteEnvTemplate(app: ZodApp, { authorize, envTemplates }: Deps): void {
  const response = { 204: z.null(), ...failures('forbidden', 'not_found') };
  const schema = { params: templateParams, response };
  app.delete('/env-templates/:id', { schema }, async ({ userId, params: { id } }, reply) => {
    const found = await envTemplates.findEnvTemplate({ id, userId });
    await authorize(userId, 'writeTemplates', found);
    await envTemplates.deleteEnvTemplate(id);
    return reply.code(204).send(null);
  });
}
