import * as z from 'zod';
import { EXAMPLE } from './example.ts';
import { PageQuery } from './page.ts';
import { ExternalId } from './session.ts';

export const EndUsersQuery = PageQuery.extend({
  externalId: ExternalId.optional().describe('Returns only the end user with this id of yours'),
});

export const EndUser = z
  .object({
    id: z
      .string()
      .describe('The id of the account. Its identity in a room begins with `user-` and this id'),
    projectId: z.string(),
    externalId: z.string().describe('Your id of the end user'),
    name: z.string().describe('The name of the newest token'),
    createdAt: z.string().describe('When the first token was asked for'),
  })
  .meta({
    id: 'EndUser',
    examples: [
      {
        id: EXAMPLE.endUser,
        projectId: EXAMPLE.project,
        externalId: 'customer-7',
        name: 'Ada',
        createdAt: EXAMPLE.at,
      },
    ],
  });
export type EndUser = z.infer<typeof EndUser>;
