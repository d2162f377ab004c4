import { expect, onTestFinished, test, vi } from 'vitest';
import { CoreAgent } from './core-agent.ts';

const smaller = (isHearing: boolean) => agentOf('agent-a', isHearing);
const greater = (isHearing: boolean) => agentOf('agent-z', isHearing);
/** Answers only to its name. */
const desk = agentOf('agent-z', true, { 'session.answers-to': 'Front desk' });

test.each([
  ['hears, beside a smaller one that hears', true, smaller(true), false],
  ['hears, beside a smaller one that does not', true, smaller(false), true],
  ['hears, beside a greater one that hears', true, greater(true), true],
  ['does not hear, beside a greater one that hears', false, greater(true), false],
  ['does not hear, in a room with an agent that answers only to its name', false, desk, false],
])(
  'an agent that %s writes what it heard, or leaves that to the other',
  async (_, isHearing, other, isOurs) => {
    const { agent, written, say } = openBeside(other);
    agent.hears(isHearing);
    await say();
    expect(written).toEqual(isOurs ? ['user-ann'] : []);
  },
);

test.each([
  ['a smaller one that hears again too', smaller(false), [], true, false],
  ['a smaller one that does not hear', smaller(false), [], false, true],
  ['a greater one that hears again too', greater(false), [], true, true],
  [
    'one that does not hear, and one that answers only to its name',
    smaller(false),
    [desk],
    false,
    true,
  ],
])(
  'of agents that had lost their hearing, one that heard words after all shows it, and writes them or not beside %s',
  async (_, other, more, isOtherBack, isOurs) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { agent, written, heard, shown, say } = openBeside(other, ...more);
    agent.hears(false);
    const said = say();
    expect(shown).toEqual(['true', 'false', 'true']);
    await vi.advanceTimersByTimeAsync(199);
    expect([written, heard]).toEqual([[], []]);
    other.attributes['session.hearing'] = String(isOtherBack);
    await vi.advanceTimersByTimeAsync(1);
    await said;
    expect([written, heard]).toEqual([isOurs ? ['user-ann'] : [], ['Hello']]);
  },
);

const ofAnn = { sender: { identity: 'user-ann' }, transcribers: [desk.identity] };

test.each([
  ['an agent that answers only to its name wrote the same words', [], ofAnn, false],
  ['such an agent wrote what was said before', ['user-ann'], ofAnn, true],
  ['a person sends a transcript herself', ['user-ann'], { sender: ofAnn.sender }, false],
  [
    'somebody else sends a transcript of her track',
    ['user-ann'],
    { ...ofAnn, sender: { identity: 'user-ben' } },
    false,
  ],
])(
  'when %s, an agent that hears again writes a person’s words for %j',
  async (_, expected, by, isEarlier) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { agent, written, heard, say } = openBeside(smaller(false), desk);
    const attributes = { 'lk.transcribed_track_id': 'TR_Ann', 'lk.transcription_final': 'true' };
    const transcript = Object({
      type: 'text_stream',
      topic: 'lk.transcription',
      attributes,
      ...by,
    });
    agent.hears(false);
    if (isEarlier) agent.receive(transcript);
    await vi.advanceTimersByTimeAsync(50);
    const said = say();
    await vi.advanceTimersByTimeAsync(50);
    if (!isEarlier) agent.receive(transcript);
    await vi.advanceTimersByTimeAsync(150);
    await said;
    expect([written, heard]).toEqual([expected, ['Hello']]);
  },
);

test('what others say while an agent waits to see who hears is answered after the first words', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { agent, written, heard, say } = openBeside(smaller(false));
  for (let losses = 0; losses < 2; losses += 1) {
    agent.hears(false);
    const first = say('Hello', 'Ann');
    await vi.advanceTimersByTimeAsync(50);
    const second = say('Hi', 'Ben');
    await vi.advanceTimersByTimeAsync(149);
    expect(heard.splice(0)).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await Promise.all([first, second]);
    expect(heard.splice(0)).toEqual(['Hello', 'Hi']);
    expect(written.splice(0)).toEqual(['user-ann', 'user-ben']);
  }
});

test('a lone agent that hears again answers at once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { agent, heard, shown, say } = openBeside();
  agent.hears(false);
  const said = say();
  await vi.advanceTimersByTimeAsync(0);
  expect(heard).toEqual(['Hello']);
  expect(shown).toEqual(['true', 'false', 'true']);
  await said;
});

function openBeside(...others: readonly ReturnType<typeof agentOf>[]) {
  const written: string[] = [];
  const heard: string[] = [];
  const shown: string[] = [];
  const agent = new CoreAgent({
    conversing: Object({
      joined: () => {},
      receive: () => {},
      hear: ({ text }: { readonly text: string }) => void heard.push(text),
    }),
    hearing: Object({}),
    voice: undefined,
    owned: Object({}),
    log: () => {},
  });
  const room: Parameters<typeof agent.joined>[0] = Object({
    identity: 'agent-m',
    participants: others,
    setAttributes: async (attributes: Readonly<Record<string, string>>) => {
      shown.push(...Object.values(attributes));
    },
    // The agent must not wait for a transcript that cannot be sent.
    sendTextOf: async (identity: string) => {
      written.push(identity);
      throw new Error('away');
    },
  });
  agent.joined(room);
  const say = async (text = 'Hello', name = 'Ann') => {
    const identity = `user-${name.toLowerCase()}`;
    const participant = { identity, name, kind: 'standard', sid: `PA_${name}` };
    const times = { endOfTurnMs: 0, transcribedMs: 0 };
    await agent.said({ participant, trackSid: `TR_${name}`, text, talkedOver: false, ...times });
  };
  return { agent, written, heard, shown, say };
}

function agentOf(identity: string, isHearing: boolean, more: Record<string, string> = {}) {
  const attributes: Record<string, string> = { ...more, 'session.hearing': String(isHearing) };
  return { identity, name: 'core-agent', kind: 'agent', sid: identity, attributes };
}
