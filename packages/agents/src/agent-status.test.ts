import { expect, test } from 'vitest';
import { type AgentState, nextState, type Seen } from './agent-status.ts';

const starting: AgentState = { status: 'Starting', reason: null, detail: null, exitCode: null };
const running: AgentState = { ...starting, status: 'Running' };
const toStop: AgentState = { ...running, reason: 'requested' };
const late: AgentState = { ...starting, reason: 'start_timeout', detail: 'Not there in 120 s.' };
const gone = 'What ran it is gone, and nobody saw how it ended: start an agent again.';

const problem = { reason: 'no_capacity', detail: 'No node has room.' } as const;
const killed: Seen = { phase: 'ended', exitCode: 137, detail: 'It was ended by SIGKILL.' };
const full: Seen = { ...killed, cause: 'out_of_memory' };
const evicted: Seen = { phase: 'ended', exitCode: 0, cause: 'evicted' };
const refused: Seen = {
  phase: 'ended',
  exitCode: null,
  cause: 'bad_configuration',
  detail: 'The program of light-agent is not installed.',
};

test.each<[AgentState, Seen, Partial<AgentState>]>([
  [starting, { phase: 'waiting' }, starting],
  [starting, { phase: 'waiting', problem }, starting],
  [starting, { phase: 'running' }, starting],
  [starting, { phase: 'joined' }, running],
  [toStop, { phase: 'joined' }, toStop],
  [running, { phase: 'waiting' }, running],
  [running, { phase: 'joined' }, running],
  [starting, { phase: 'ended', exitCode: 0 }, { reason: 'completed', exitCode: 0, detail: null }],
  [running, { phase: 'ended', exitCode: 3 }, { reason: 'crashed', exitCode: 3, detail: null }],
  [running, { phase: 'ended', exitCode: null }, { reason: 'crashed', exitCode: null }],
  [running, killed, { reason: 'crashed', exitCode: 137, detail: 'It was ended by SIGKILL.' }],
  [running, full, { reason: 'out_of_memory', exitCode: 137 }],
  [running, evicted, { reason: 'evicted', exitCode: 0 }],
  [starting, refused, { reason: 'bad_configuration', exitCode: null, detail: refused.detail }],
  [running, { phase: 'absent' }, { reason: 'lost', exitCode: null, detail: gone }],
  [toStop, { phase: 'ended', exitCode: 0 }, { reason: 'requested', exitCode: 0, detail: null }],
  [toStop, full, { reason: 'requested', exitCode: 137 }],
  [toStop, { phase: 'absent' }, { reason: 'requested', exitCode: null, detail: null }],
  [late, killed, { reason: 'start_timeout', exitCode: 137, detail: 'Not there in 120 s.' }],
])('%o, seen %o, is %o', (state, seen, expected) => {
  const isOver = seen.phase === 'ended' || seen.phase === 'absent';
  expect(nextState(state, seen)).toMatchObject({
    ...expected,
    ...(isOver && { status: 'Stopped' }),
  });
});

test('Stopped is for good, whatever is seen afterwards', () => {
  const over: AgentState = { status: 'Stopped', reason: 'crashed', detail: null, exitCode: 1 };
  const sights: Seen[] = [{ phase: 'joined' }, { phase: 'running' }, { phase: 'absent' }, killed];
  for (const seen of sights) expect(nextState(over, seen)).toBe(over);
});
