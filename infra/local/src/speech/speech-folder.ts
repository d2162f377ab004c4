import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../../../..');

/** The folder of the speech server's program. */
export const speechFolder = path.join(root, 'infra/speech');

/** The cache that all stacks of this checkout share. */
export const speechCache = path.join(root, '.cache/speech');
