import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../../../..');

export const speechFolder = path.join(root, 'infra/speech');

export const speechCache = path.join(root, '.cache/speech');
