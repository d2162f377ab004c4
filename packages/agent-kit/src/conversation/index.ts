export { ConversingAgent, type ConversingAgentOptions } from './conversing-agent.ts';
export { type ConversationConfig, loadConfig } from './load-config.ts';
export type { Speech, Voice } from './output/voice.ts';
