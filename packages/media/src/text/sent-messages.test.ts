import { decodeNumbered } from '@session/contract/room';
import { expect, test } from 'vitest';
import { SentMessages } from './sent-messages.ts';

function setUp(isSigned: (packet: unknown) => boolean = () => true) {
  const clock = { now: Date.parse('2026-11-21T08:00:00.000Z') };
  const sent = new SentMessages(isSigned, () => clock.now);
  const say = (id: string, text = `text ${id}`) => {
    const message = sent.number('lk.chat', id);
    message.write(text);
    message.end();
    return message.seq;
  };
  const ask = (q: unknown, ...ns: unknown[]) =>
    sent.asked(new TextEncoder().encode(JSON.stringify({ q, ns })));
  return { clock, sent, say, ask };
}

test('messages are numbered from 1 on, under a name that no other program has', () => {
  const [one, other] = [setUp(), setUp()];
  const numbers = ['a', 'b', 'c'].map((id) => one.say(id));
  expect(numbers.map(({ n }) => n)).toEqual([1, 2, 3]);
  expect(new Set(numbers.map(({ q }) => q)).size).toBe(1);
  expect(numbers[0]?.q).toMatch(/^[\w-]{8}$/);
  expect(other.say('a').q).not.toBe(numbers[0]?.q);
});

test('a message that is sent once more keeps its number', () => {
  const { say, ask } = setUp();
  const [first, second] = [say('a', 'half'), say('b')];
  expect(say('a', 'whole')).toEqual(first);
  expect(say('c').n).toBe(second.n + 1);
  expect(ask(first.q, 1).map(({ text }) => text)).toEqual(['whole']);
});

test('the number of a text without words goes to the next message, so that nobody misses it', () => {
  const { sent, say, ask } = setUp();
  const empty = sent.number('lk.transcription', 'SG_1');
  const { q, n } = say('a');
  expect(n).toBe(2);
  empty.end();
  empty.end();
  expect(ask(q, 1)).toEqual([]);
  expect([say('b').n, say('c').n]).toEqual([1, 3]);
  expect(ask(q, 1).map(({ text }) => text)).toEqual(['text b']);
});

test('the last number is the greatest one up to which all is said, and not one that was given back', () => {
  const { sent, say } = setUp();
  const last = () => sent.lastAttribute['session-service.last'];
  expect(sent.lastAttribute).toEqual({});
  const { q } = say('a');
  expect(last()).toBe(`${q}:1`);
  const [open, empty] = ['b', 'c'].map((id) => sent.number('lk.chat', id));
  open?.write('half');
  empty?.end();
  expect(last()).toBe(`${q}:1`);
  say('d');
  expect(last()).toBe(`${q}:1`);
  open?.end();
  expect(last()).toBe(`${q}:3`);
  const broken = sent.number('lk.chat', 'e');
  say('f');
  expect(last()).toBe(`${q}:3`);
  broken.breakOff();
  expect(last()).toBe(`${q}:5`);
});

test('what is asked for is sent again as the message that it was', () => {
  const { clock, sent, ask } = setUp();
  const message = sent.number('lk.transcription', 'SG_1');
  for (const words of ['I ', 'was']) message.write(words);
  expect(ask(message.seq.q, 1)).toEqual([]);
  message.end({ 'session.interrupted': 'true' });
  const [again] = ask(message.seq.q, 1);
  const sender = { identity: 'agent-1', name: 'Echo', sid: 'PA_1', kind: 'agent' };
  const stream = { type: 'text_stream', topic: 'session-service.resent', streamId: 'x' } as const;
  const received = {
    ...stream,
    hasEnded: true,
    sentAt: null,
    sender,
    receivedAt: clock.now + 5000,
  };
  const { text = '', attributes = {} } = again ?? {};
  const decoded = decodeNumbered(
    { ...received, text, attributes },
    { sessionId: '0197a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b', newId: () => 'none' },
  );
  expect(decoded).toMatchObject({
    outcome: 'store',
    message: {
      content: 'I was',
      kind: 'transcript',
      metadata: {
        rawId: 'SG_1',
        seq: message.seq,
        interrupted: true,
        resent: true,
        spokenAt: '2026-11-21T08:00:00.000Z',
      },
    },
  });
});

test('a number is sent again once in 2 s, however often it is asked for', () => {
  const { clock, say, ask } = setUp();
  const { q } = say('a');
  say('b');
  const times = (...ns: number[]) => ask(q, ...ns).length;
  expect([times(1), times(1, 2), times(1, 2)]).toEqual([1, 1, 0]);
  clock.now += 1999;
  expect(times(1, 2)).toBe(0);
  clock.now += 1;
  expect(times(1, 2)).toBe(2);
});

test('the last 200 messages are kept', () => {
  const { say, ask } = setUp();
  const numbers = Array.from({ length: 300 }, (_, index) => say(`m-${index}`));
  const { q = '' } = numbers[0] ?? {};
  const all = ask(q, ...numbers.map(({ n }) => n));
  expect([all.length, all[0]?.text]).toEqual([200, 'text m-100']);
});

test.each<unknown[]>([
  ['another', [1]],
  [undefined, [1]],
  [null, 1],
])('a request of %j for %j is ignored', (q, ns) => {
  const { sent, say } = setUp();
  say('a');
  expect(sent.asked(new TextEncoder().encode(JSON.stringify({ q, ns })))).toEqual([]);
});

test('only the service may ask: a packet without its signature is ignored', () => {
  const { say, ask } = setUp((packet) => Object(packet).signature === 'valid');
  const { q } = say('a');
  expect(ask(q, 1)).toEqual([]);
});

test('a request with numbers that were never given, or that is no JSON, is ignored', () => {
  const { sent, say, ask } = setUp();
  const { q } = say('a');
  expect(ask(q, 0, 2, '1', null, {})).toEqual([]);
  expect(sent.asked(new TextEncoder().encode('Hi'))).toEqual([]);
});
