import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { createErasure } from './create-erasure.ts';
import { getErasure } from './get-erasure.ts';
import { listErasures } from './list-erasures.ts';

export function erasureRoutes(app: ZodApp, deps: Deps): void {
  createErasure(app, deps);
  listErasures(app, deps);
  getErasure(app, deps);
}
