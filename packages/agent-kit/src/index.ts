export { type RoomConfig, readRoom } from './config.ts';
export { readBoth } from './configuration.ts';
export { type RoomAgent, runAgent } from './run-agent.ts';
export { UserTexts } from './user-texts.ts';
