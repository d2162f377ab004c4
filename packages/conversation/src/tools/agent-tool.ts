import type { Fields } from '@session/contract/room';
import type { ToolDefinition } from '../plan/plan-tools.ts';
import type { CallResult } from './call-result.ts';
import type { CheckedArguments } from './check-arguments.ts';

export interface AgentTool extends ToolDefinition {
  readonly source: 'http' | 'mcp';
  readonly say?: string | undefined;
  readonly onInterrupt: 'cancel' | 'finish';
  readonly record: 'full' | 'outcome';
  /** Whether a call may change something. Such a call is reported before it is sent. */
  readonly mayHaveEffects: boolean;
  readonly check: (args: unknown) => CheckedArguments;
  /** Ends the call when `signal` aborts. Never throws. */
  readonly send: (args: Fields, signal?: AbortSignal) => Promise<CallResult>;
}
