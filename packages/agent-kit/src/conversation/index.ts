export { ConversingAgent } from './conversing-agent.ts';
export { HEARING_ATTRIBUTE, hasHearing, isNamedOnly, showsHearing } from './input/responder.ts';
export { type ConversationConfig, loadConfig } from './load-config.ts';
export type { Speech, Voice } from './output/room-output.ts';
export { wholeNumbers } from './output/turn-attribute.ts';
