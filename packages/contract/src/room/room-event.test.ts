import { expect, test } from 'vitest';
import { isAgent, isRecorder } from './room-event.ts';

test.each([
  ['standard', 'user-019a9f3c-5b1e-7d42-8a6f-1c2d3e4f5a6b-0f1e2d', false],
  ['agent', 'agent-echo-agent-5a6b7c8d', true],
  ['agent', 'AJ_x1y2z3', true],
  ['standard', 'agent-by-hand', true],
  ['standard', 'agent-', true],
  ['standard', 'agent', false],
  ['standard', 'Agent-smith', false],
  ['standard', 'my-agent-1', false],
  ['standard', ' agent-1', false],
  ['Agent', 'user-1', false],
  ['sip', '+4930123456', false],
  ['unknown', '', false],
])(
  'a participant of kind %s with the identity "%s" is an agent: %s',
  (kind, identity, expected) => {
    expect(isAgent({ kind, identity })).toBe(expected);
  },
);

test.each([
  ['recorder-019a9f00-1a2b-7c3d-8e4f-7c8d9e0f1a2b', true],
  ['recorder-', true],
  ['recorder', false],
  ['Recorder-1', false],
  ['user-recorder-1', false],
  ['', false],
])('a participant with the identity "%s" is a recorder: %s', (identity, expected) => {
  expect(isRecorder({ identity })).toBe(expected);
});
