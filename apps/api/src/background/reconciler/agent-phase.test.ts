import type { Workload } from '@session/agents';
import type { LiveAgentRow } from '@session/db';
import { expect, test } from 'vitest';
import { agentRow } from '../../../testing/supervision.ts';
import { type AgentPhase, phaseOf, stateOf } from './agent-phase.ts';

const startedAt = '2026-11-21T08:00:00.000Z';
const requested = agentRow();
const started = agentRow({ startedAt });
const running = agentRow({ startedAt, status: 'Running' });
const stopping = agentRow({ startedAt, status: 'Running', desired: 'stopped' });
const givenUp = agentRow({ startedAt, reason: 'start_timeout', desired: 'stopped' });
const ended: Workload = { phase: 'ended', exitCode: 0 };

test.each<[string, LiveAgentRow, Workload, boolean, AgentPhase]>([
  ['a new row', requested, { phase: 'absent' }, false, 'requested'],
  ['a start that was cut off', requested, { phase: 'waiting' }, false, 'requested'],
  ['a start that was not noted', requested, { phase: 'running' }, false, 'starting'],
  ['a start that is not observed yet', requested, { phase: 'absent' }, true, 'starting'],
  ['a start that ended before it was noted', requested, ended, false, 'ended'],
  ['a pod that waits', started, { phase: 'waiting' }, false, 'starting'],
  ['a program that runs', started, { phase: 'running' }, false, 'starting'],
  ['a started agent without a workload', started, { phase: 'absent' }, false, 'ended'],
  ['a running agent', running, { phase: 'running' }, false, 'running'],
  ['a running agent without a workload', running, { phase: 'absent' }, false, 'ended'],
  ['an agent that has to stop', stopping, { phase: 'running' }, false, 'stopping'],
  ['an agent that was given up', givenUp, { phase: 'waiting' }, false, 'stopping'],
  ['an agent that has stopped', stopping, ended, false, 'ended'],
  [
    'an agent that has to stop before its start',
    agentRow({ desired: 'stopped' }),
    { phase: 'absent' },
    false,
    'ended',
  ],
  [
    'an agent of a closed session, before its start',
    agentRow({ sessionStatus: 'CLOSED' }),
    { phase: 'waiting' },
    false,
    'stopping',
  ],
])('%s has the phase that its row and its workload show', (_, row, workload, isAwaited, phase) => {
  expect(phaseOf(row, stateOf(row), workload, isAwaited)).toBe(phase);
});

test.each<[Partial<LiveAgentRow>, string | null]>([
  [{}, null],
  [{ desired: 'stopped' }, 'requested'],
  [{ sessionStatus: 'CLOSED' }, 'session_closed'],
  [{ desired: 'stopped', sessionStatus: 'CLOSED' }, 'session_closed'],
  [{ desired: 'stopped', reason: 'max_duration' }, 'max_duration'],
  [{ sessionStatus: 'CLOSED', reason: 'requested' }, 'requested'],
  [{ reason: 'a reason of a later version' }, null],
])('the row %j has to stop for the reason %s', (change, reason) => {
  expect(stateOf(agentRow(change)).reason).toBe(reason);
});
