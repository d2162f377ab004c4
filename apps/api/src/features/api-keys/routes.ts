import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { createApiKey } from './create-api-key.ts';
import { deleteApiKey } from './delete-api-key.ts';
import { listApiKeys } from './list-api-keys.ts';
import { rotateApiKey } from './rotate-api-key.ts';

export function apiKeyRoutes(app: ZodApp, deps: Deps): void {
  listApiKeys(app, deps);
  createApiKey(app, deps);
  rotateApiKey(app, deps);
  deleteApiKey(app, deps);
}
