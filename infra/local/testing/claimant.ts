import { once } from 'node:events';
import { ProcessTable } from '../src/supervision/process-table.ts';

// A process that claims the file of its first argument when its parent says so, and keeps it until its parent disconnects.
const [file = ''] = process.argv.slice(2);
process.send?.('ready');
await once(process, 'message');
const table = await ProcessTable.claim(file);
process.send?.(table ? 'owner' : 'other');
await once(process, 'disconnect');
