import * as z from 'zod';

const ReachedServer = z.object({
  name: z.string(),
  ok: z.boolean(),
  durationMs: z.number(),
  tools: z
    .array(
      z.object({
        name: z.string(),
        description: z.string(),
        digest: z.string().meta({
          description:
            'The hash of the definition of the tool. If the agent template has it, agents do not use the tool once it has changed',
        }),
        selected: z.boolean().meta({ description: 'Whether the agent may call it' }),
      }),
    )
    .meta({
      description: 'The first hundred tools of the server, and all that the template names',
    }),
});

export const AgentPreflight = z
  .object({
    ok: z.boolean(),
    problems: z.array(z.object({ code: z.string(), detail: z.string() })),
    reach: z
      .object({ mcpServers: z.array(ReachedServer) })
      .nullable()
      .meta({
        description:
          'What the MCP servers of the agent template answered when the API asked them for their tools. `null`: they were not asked',
      }),
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
              'The role light-agent needs LLM_API_KEY. Name an environment template. Without a name, the project’s default template is used, or its only one; this project has neither.',
          },
        ],
        reach: {
          mcpServers: [
            {
              name: 'crm',
              ok: true,
              durationMs: 95,
              tools: [
                {
                  name: 'search',
                  description: 'Finds a customer.',
                  digest: `sha256:${'0'.repeat(64)}`,
                  selected: true,
                },
              ],
            },
          ],
        },
      },
    ],
  });
export type AgentPreflight = z.infer<typeof AgentPreflight>;
