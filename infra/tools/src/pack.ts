import path from 'node:path';
import { packClient } from './pack/pack-client.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const [, , folder = path.join(root, '.cache/pack')] = process.argv;

const tarball = await packClient(root, path.resolve(folder));
// Absolute: the user installs it in another folder.
process.stdout.write(`${tarball}\n`);
