import type { Workload } from '@session/agents';
import type { LiveAgentRow } from '@session/db';
import { expect, test } from 'vitest';
import { agentRow } from '../../../testing/supervision.ts';
import { agentIdOf, isLaterWorkload, type NextStep, nextStepOf, stateOf } from './next-step.ts';

const startedAt = '2026-11-21T08:00:00.000Z';
const requested = agentRow();
const started = agentRow({ startedAt });
const running = agentRow({ startedAt, status: 'Running' });
const stopping = agentRow({ startedAt, status: 'Running', desired: 'stopped' });
const givenUp = agentRow({ startedAt, reason: 'start_timeout', desired: 'stopped' });
const due = agentRow({ startedAt, restarts: 1, restartInMs: 0 });
const early = agentRow({ startedAt, restarts: 1, restartInMs: 0.1 });
const ended: Workload = { phase: 'ended', exitCode: 0 };

test.each<[string, LiveAgentRow, Workload, boolean, NextStep]>([
  ['a new row', requested, { phase: 'absent' }, false, 'start'],
  ['a start that was cut off', requested, { phase: 'waiting' }, false, 'start'],
  ['a start that was not marked', requested, { phase: 'running' }, false, 'awaitReady'],
  ['a start that is not observed yet', requested, { phase: 'absent' }, true, 'awaitReady'],
  ['a start that ended before it was marked', requested, ended, false, 'conclude'],
  ['a restart that is not due yet', early, { phase: 'absent' }, false, 'awaitRestart'],
  ['a restart that is due', due, { phase: 'absent' }, false, 'start'],
  ['a restart that was cut off', due, { phase: 'waiting' }, false, 'start'],
  ['a restart that was not marked', due, { phase: 'running' }, false, 'awaitReady'],
  ['a restart that is not observed yet', due, { phase: 'absent' }, true, 'awaitReady'],
  ['a restart that ended before it was marked', due, ended, false, 'conclude'],
  [
    'an agent that has to stop while it waits for its restart',
    agentRow({ startedAt, restarts: 1, restartInMs: 400, desired: 'stopped' }),
    { phase: 'absent' },
    false,
    'conclude',
  ],
  [
    'an agent with a template, as the former release reads it',
    agentRow({ restartInMs: Number.POSITIVE_INFINITY }),
    { phase: 'absent' },
    false,
    'awaitRestart',
  ],
  ['a pod that waits', started, { phase: 'waiting' }, false, 'awaitReady'],
  ['a program that runs', started, { phase: 'running' }, false, 'awaitReady'],
  ['a started agent without a workload', started, { phase: 'absent' }, false, 'conclude'],
  ['a running agent', running, { phase: 'running' }, false, 'limitDuration'],
  ['a running agent without a workload', running, { phase: 'absent' }, false, 'conclude'],
  ['an agent that has to stop', stopping, { phase: 'running' }, false, 'stop'],
  ['an agent that was given up', givenUp, { phase: 'waiting' }, false, 'stop'],
  ['an agent that has stopped', stopping, ended, false, 'conclude'],
  [
    'an agent that has to stop before its start',
    agentRow({ desired: 'stopped' }),
    { phase: 'absent' },
    false,
    'conclude',
  ],
  [
    'an agent of a closed session, before its start',
    agentRow({ sessionStatus: 'CLOSED' }),
    { phase: 'waiting' },
    false,
    'stop',
  ],
])(
  '%s leads to the step that its row and its workload call for',
  (_, row, workload, isUnobserved, step) => {
    expect(nextStepOf(row, stateOf(row), workload, isUnobserved)).toBe(step);
  },
);

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

test.each([
  [0, '', false],
  [0, '-1', true],
  [1, '', false],
  [1, '-1', false],
  [2, '-10', true],
  [10, '-2', false],
])(
  'of an agent with %i restarts, the workload `<id>%s` is later: %s',
  (restarts, suffix, later) => {
    const row = agentRow({ restarts });
    expect(isLaterWorkload(`${row.id}${suffix}`, row)).toBe(later);
    expect(isLaterWorkload(`another${suffix}`, row)).toBe(false);
    expect(agentIdOf(`${row.id}${suffix}`)).toBe(row.id);
  },
);
