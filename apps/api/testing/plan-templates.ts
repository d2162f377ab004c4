import { apiTest } from './api-test.ts';

export const STEP = { title: 'Your name', instructions: 'Ask for the name.' };

/** As `apiTest`, with `plans`: the plan templates of a new project of `ana`. */
export const planTemplateTest = apiTest.extend('plans', ({ api, ana, projectId }) => {
  const url = `/projects/${projectId}/plan-templates`;
  return {
    url,
    ask: (method: 'DELETE' | 'GET' | 'PATCH' | 'POST', path: string, payload?: object) =>
      api.inject(ana, { method, url: path, ...(payload && { payload }) }),
    async create(name = 'Intake') {
      const payload = { name, description: 'For new customers', steps: [STEP] };
      const created = await api.inject(ana, { method: 'POST', url, payload });
      return String(created.headers.location);
    },
  };
});
