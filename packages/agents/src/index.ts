export { type AgentState, nextState, type ObservedPhase } from './agent-status.ts';
export { type AgentVariable, secretValues } from './agent-variable.ts';
export {
  type AgentRole,
  CATALOGUE,
  capabilitiesOf,
  checkVariables,
  findAgentRole,
  requiredVariables,
} from './catalogue.ts';
export {
  type AgentLauncher,
  type AgentObservation,
  LaunchDelayed,
  type LaunchProblem,
  LaunchRefused,
  type LaunchRequest,
  type LogLine,
  type LogQuery,
  type OutputLine,
  type StartTimes,
  type Workload,
} from './launcher.ts';
export type {
  ConfiguredLauncher,
  LaunchCheck,
  LauncherModule,
  LaunchRequestWithoutEnv,
  OpenLauncher,
  OpenOptions,
  ServiceContext,
} from './launcher-module.ts';
export { LineSplitter } from './line-splitter.ts';
export { observeWorkloads } from './observe-workloads.ts';
export { processModule } from './process-module.ts';
export { type Command, findProgram } from './programs.ts';
export { proxyPasswords, proxyVariables } from './proxy-variables.ts';
export {
  RESTART_DELAYS_MS,
  RESTARTABLE_REASONS,
  restartDelayMs,
  workloadIdOf,
} from './restart-policy.ts';
export { STOP_REASONS, type StopReason } from './stop-reason.ts';
