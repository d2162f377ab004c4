import { expect, test } from 'vitest';
import { accepts, faultsIn, NOT_STRINGS } from '../../testing/shapes.ts';
import { AgentConfig, NewAgent } from './agent.ts';
import { AgentLog, AgentLogQuery, AgentTimeline } from './agent-activity.ts';

test.each(['role', 'planId', 'envTemplateId'])('%s has 1 to 100 characters', (field) => {
  const agent = { role: 'echo-agent' };
  expect(accepts(NewAgent, { ...agent, [field]: 'x'.repeat(100) })).toBe(true);
  for (const value of ['', 'x'.repeat(101)]) {
    expect(faultsIn(NewAgent, { ...agent, [field]: value })).toEqual([field]);
  }
  for (const value of NOT_STRINGS.filter((other) => other !== null)) {
    expect(faultsIn(NewAgent, { ...agent, [field]: value })).toEqual([field]);
  }
});

test('templates may be null, as an agent shows them; its role may not', () => {
  const agent = { role: 'echo-agent', planId: null, envTemplateId: null };
  expect(NewAgent.parse(agent)).toEqual(agent);
  expect(faultsIn(NewAgent, { ...agent, role: null })).toEqual(['role']);
});

test('a role may be any text: the catalogue, not the contract, knows the roles', () => {
  for (const role of [
    'constructor',
    '__proto__',
    ' ',
    'ECHO',
    '👋',
    '\0',
    "'; drop table agents",
  ]) {
    expect(NewAgent.parse({ role })).toEqual({ role });
  }
});

test('faults in the config are named by their path', () => {
  for (const echoMode of ['TEXT', '', 'text ', null, 1]) {
    expect(faultsIn(AgentConfig, { echoMode })).toEqual(['echoMode']);
    expect(faultsIn(NewAgent, { role: 'r', config: { echoMode } })).toEqual(['config.echoMode']);
  }
  for (const restart of ['always', '', null, true]) {
    expect(faultsIn(NewAgent, { role: 'r', config: { restart } })).toEqual(['config.restart']);
  }
  expect(faultsIn(NewAgent, { role: 'r', config: { volume: 1 } })).toEqual(['config']);
  expect(faultsIn(NewAgent, { role: 'r', config: null })).toEqual(['config']);
});

test.each([
  ['1', 1],
  ['200', 200],
  ['5000', 5000],
])('the last %s lines of a log can be requested', (tail, lines) => {
  expect(AgentLogQuery.parse({ tail })).toEqual({ tail: lines });
});

test.each(['0', '5001', '-1', '1.5', '', 'all', '1e3'])('a tail of %j is refused', (tail) => {
  expect(faultsIn(AgentLogQuery, { tail })).toEqual(['tail']);
});

test('a log’s since keeps its microseconds, so that no line comes twice', () => {
  const since = '2026-11-21T08:00:04.250117Z';
  expect(AgentLogQuery.parse({ since, tail: '1' })).toEqual({ since, tail: 1 });
  expect(faultsIn(AgentLogQuery, { since: '2026-11-21' })).toEqual(['since']);
  const log = {
    items: [{ timestamp: since, line: 'ready' }],
    nextSince: since,
    complete: false,
    source: 'program',
  };
  expect(AgentLogQuery.parse({ since: AgentLog.parse(log).nextSince })).toEqual({ since });
});

test('a query without limits has no default here: the answer depends on both fields together', () => {
  expect(AgentLogQuery.parse({})).toEqual({});
});

test('a log without lines is an answer, and so is an event of a later version', () => {
  expect(accepts(AgentLog, { items: [], nextSince: null, complete: true, source: 'none' })).toBe(
    true,
  );
  const items = [{ event: 'promoted', at: '2026-11-21T08:00:00.000Z', detail: null }];
  expect(AgentTimeline.parse({ items })).toEqual({ items });
  expect(faultsIn(AgentTimeline, { items: [{ event: 'joined', at: null, detail: 1 }] })).toEqual([
    'items.0.at',
    'items.0.detail',
  ]);
});
