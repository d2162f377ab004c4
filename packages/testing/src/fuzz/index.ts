export type { Document } from './document.ts';
export { type FuzzOptions, fuzz } from './fuzz.ts';
export type { FuzzReport } from './tally.ts';
