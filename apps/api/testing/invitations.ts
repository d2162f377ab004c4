import type { LightMyRequestResponse } from 'fastify';
import type { TestUser } from './api.ts';
import { memberTest } from './members.ts';

/** As `memberTest`, with `invitations` of the team's project. */
export const invitationTest = memberTest.extend('invitations', ({ api, team }) => {
  const url = `/projects/${team.projectId}/invitations`;
  const post = async (path: string, secret: string, user?: TestUser) => {
    const request = { method: 'POST', url: path, payload: { secret } } as const;
    return await (user ? api.inject(user, request) : api.app.inject(request));
  };
  return {
    create: async (user: TestUser, payload: object): Promise<LightMyRequestResponse> =>
      await api.inject(user, { method: 'POST', url, payload }),
    list: async (user: TestUser, query = '') => await api.inject(user, { url: `${url}${query}` }),
    remove: async (user: TestUser, id: string) =>
      await api.inject(user, { method: 'DELETE', url: `/invitations/${id}` }),
    look: async (secret: string) => await post('/invitations/look', secret),
    accept: async (user: TestUser, secret: string) =>
      await post('/invitations/accept', secret, user),
  };
});

/** Returns the secret of a link that an answer or a mail contains. */
export function secretIn(text: string): string {
  return /#([\w-]{43})/.exec(text)?.[1] ?? '';
}
