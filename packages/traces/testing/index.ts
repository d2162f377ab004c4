export { type ReceivedSpan, type Receiver, startReceiver } from './receiver.ts';
export { traceEnv, tracesTo } from './traces-to.ts';
