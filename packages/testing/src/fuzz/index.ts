export type { Document } from './document.ts';
export { fuzz } from './fuzz.ts';
