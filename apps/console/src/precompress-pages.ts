import path from 'node:path';
import { runMain } from '@session/kit';
import { precompress } from './precompress.ts';

// The last step of `pnpm --filter @session/console build`.
await runMain(async () => await precompress(path.resolve(import.meta.dirname, '../dist/web')));
