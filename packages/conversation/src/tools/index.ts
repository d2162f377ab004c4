export { type ReachedServer, reachServers } from './mcp/reach-servers.ts';
export { openTools } from './open-tools.ts';
export { readToolSettings, type ToolSettings } from './tool-settings.ts';
