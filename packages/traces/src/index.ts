export { agentTraceVariables } from './agent-trace-variables.ts';
export { readTraceConfig, type TraceConfig } from './config.ts';
export { type ExportLog, logExports } from './log-exports.ts';
export { openTraces } from './open-traces.ts';
export { joinTraceparent, readTraceparent, spanIdOf, traceIdOf } from './trace-ids.ts';
export type {
  OpenSpan,
  SpanAttributes,
  SpanIds,
  SpanOptions,
  TraceHost,
  Traces,
} from './traces.ts';
