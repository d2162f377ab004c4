import { expect, test } from 'vitest';
import { CoreAgent } from './core-agent.ts';

const smaller = (isHearing: boolean) => agentOf('agent-a', isHearing);
const greater = (isHearing: boolean) => agentOf('agent-z', isHearing);

test.each([
  ['hears, beside a smaller one that hears', true, smaller(true), false],
  ['hears, beside a smaller one that does not', true, smaller(false), true],
  ['hears, beside a greater one that hears', true, greater(true), true],
  ['does not hear, beside a greater one that hears', false, greater(true), false],
  ['does not hear, beside one that does not either', false, smaller(false), true],
])(
  'an agent that %s writes what it heard, or leaves that to the other',
  async (_, isHearing, other, isOurs) => {
    const written: string[] = [];
    const agent = new CoreAgent({
      conversing: Object({ joined: () => {}, hear: () => {} }),
      hearing: Object({}),
      voice: undefined,
      owned: Object({}),
      log: () => {},
    });
    const room: Parameters<typeof agent.joined>[0] = Object({
      identity: 'agent-m',
      participants: [other],
      setAttributes: async () => {},
      // What cannot be sent does not wait for its arrival.
      sendTextOf: async (identity: string) => {
        written.push(identity);
        throw new Error('away');
      },
    });
    agent.joined(room);
    agent.hears(isHearing);
    const participant = { identity: 'user-ann', name: 'Ann', kind: 'standard', sid: 'PA_ann' };
    const times = { endOfTurnMs: 0, transcribedMs: 0 };
    await agent.said({ participant, trackSid: 'TR_1', text: 'Hello', talkedOver: false, ...times });
    expect(written).toEqual(isOurs ? ['user-ann'] : []);
  },
);

function agentOf(identity: string, isHearing: boolean) {
  const attributes = { 'session.hearing': String(isHearing) };
  return { identity, name: 'core-agent', kind: 'agent', sid: identity, attributes };
}
