import path from 'node:path';
import { findFaults } from './find-faults.ts';
import { readRepository } from './repository.ts';
import { faultLine } from './source-file.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const faults = findFaults(await readRepository(root));
process.stdout.write(faults.map((fault) => `${faultLine(fault)}\n`).join(''));
if (faults.length > 0) process.exitCode = 1;
