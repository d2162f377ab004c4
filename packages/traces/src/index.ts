export { agentTraceVariables } from './agent-trace-variables.ts';
export { readTraceConfig, type TraceConfig } from './config.ts';
export { logExports } from './log-exports.ts';
export { openTraces } from './open-traces.ts';
export { joinTraceparent, readTraceparent, spanIdOf, traceIdOf } from './trace-ids.ts';
export type { OpenSpan, Traces } from './traces.ts';
