import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { exportMessages } from './export-messages.ts';
import { listLatestMessages } from './list-latest-messages.ts';
import { listMessages } from './list-messages.ts';
import { say } from './say.ts';

export function messageRoutes(app: ZodApp, deps: Deps): void {
  listMessages(app, deps);
  listLatestMessages(app, deps);
  say(app, deps);
  exportMessages(app, deps);
}
