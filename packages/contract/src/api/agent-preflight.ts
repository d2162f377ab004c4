import * as z from 'zod';

export const AgentPreflight = z
  .object({
    ok: z.boolean(),
    problems: z.array(z.object({ code: z.string(), detail: z.string() })),
  })
  .meta({
    id: 'AgentPreflight',
    examples: [
      {
        ok: false,
        problems: [
          {
            code: 'env_template_required',
            detail:
              'The role light-agent needs LLM_API_KEY. Name an environment template: the project has no default template, and it has none or several others.',
          },
        ],
      },
    ],
  });
export type AgentPreflight = z.infer<typeof AgentPreflight>;
