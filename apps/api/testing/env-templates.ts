import * as db from '@session/db';
import type { LightMyRequestResponse } from 'fastify';
import { apiTest } from './api-test.ts';

const SECRET = 'sk-hunter2';
/** What a template holds in these tests; each value contains `hunter2`. */
export const VARIABLES = { LLM_API_KEY: SECRET, TTS_API_KEY: 'tts-hunter2' };

/** As `apiTest`, with `templates`: the environment templates of a new project of `ana`. */
export const envTemplateTest = apiTest.extend('templates', ({ api, ana, projectId }) => {
  const url = `/projects/${projectId}/env-templates`;
  return {
    url,
    create: (payload: object) => api.inject(ana, { method: 'POST', url, payload }),
    change: (id: string, payload: object) =>
      api.inject(ana, { method: 'PATCH', url: `/env-templates/${id}`, payload }),
    find: (id: string) => api.inject(ana, { url: `/env-templates/${id}` }),
    /** Returns the values, as an agent gets them. */
    async open(id: string) {
      const template = await db.readEnvTemplate(api.deps.database, id);
      return template && api.deps.vault.open(template);
    },
  };
});

/** Returns the status and the code of an answer. */
export function codeOf(answer: Pick<LightMyRequestResponse, 'json' | 'statusCode'>): string {
  return `${answer.statusCode} ${answer.json().code ?? ''}`;
}
