import * as z from 'zod';
import { EXAMPLE } from './example.ts';
import { HoursKept, Moment } from './parameters.ts';

const KeyRole = z.enum(['MEMBER', 'ADMIN']);

export const NewApiKey = z
  .strictObject({
    name: z.string().trim().min(1).max(100),
    role: KeyRole.default('MEMBER').describe(
      'What the key may do in its project; an OWNER creates keys of the role ADMIN',
    ),
    expiresAt: Moment.optional().describe('Without it the key is valid until it is deleted'),
  })
  .meta({ id: 'NewApiKey', examples: [{ name: 'Backend' }] });

export const ApiKeyRotation = z
  .strictObject({
    keepOldHours: HoursKept('For how many hours the older secrets stay valid; 0 ends them at once'),
  })
  .meta({ id: 'ApiKeyRotation', examples: [{ keepOldHours: 24 }] });

const key = {
  id: EXAMPLE.apiKey,
  projectId: EXAMPLE.project,
  name: 'Backend',
  role: 'MEMBER' as const,
  prefix: 'ck_k3yexamp1e2b4d6f',
  createdBy: EXAMPLE.user,
  createdAt: EXAMPLE.at,
  expiresAt: null,
  lastUsedAt: null,
};

export const ApiKey = z
  .object({
    id: z.string(),
    projectId: z.string(),
    name: z.string(),
    role: KeyRole,
    prefix: z.string().describe('What the newest secret begins with'),
    createdBy: z.string().describe('The account that asked for the newest secret'),
    createdAt: z.string(),
    expiresAt: z.string().nullable(),
    lastUsedAt: z.string().nullable().describe('To the minute'),
  })
  .meta({ id: 'ApiKey', examples: [key] });
export type ApiKey = z.infer<typeof ApiKey>;

export const IssuedApiKey = ApiKey.extend({
  secret: z.string().describe('What a request sends as its bearer token. No other answer shows it'),
}).meta({ id: 'IssuedApiKey', examples: [{ ...key, secret: `${key.prefix}_…` }] });
