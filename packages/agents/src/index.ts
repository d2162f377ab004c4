export { type AgentState, nextState, type Seen } from './agent-status.ts';
export { type AgentType, CATALOGUE, findAgentType } from './catalogue.ts';
export {
  type AgentLaunch,
  type AgentLauncher,
  type AgentObservation,
  LaunchDelayed,
  LaunchRefused,
  type LogLine,
  type LogQuery,
  type Problem,
  type StartTimes,
  type Workload,
} from './launcher.ts';
export { LineSplitter } from './line-splitter.ts';
export { ProcessLauncher, type ProcessLauncherOptions } from './process-launcher.ts';
export { type Command, findProgram } from './programs.ts';
export { STOP_REASONS, type StopReason } from './stop-reason.ts';
export { tellWorkloads } from './tell-workloads.ts';
