import {
  API_TOPIC,
  type PacketEvent,
  type PresenceEvent,
  type RoomEvent,
  type TextStreamEvent,
} from '@session/contract/room';
import { pause } from '@session/kit';
import {
  type ListedParticipant,
  packetEncoder,
  packetPublicKey,
  packetVerifier,
} from '@session/media';
import { passTime, startVirtualTime } from '@session/testing/virtual-time';
import { beforeEach, expect, test } from 'vitest';
import { SenderLookup } from './sender-lookup.ts';

const packet: PacketEvent = {
  type: 'packet',
  payload: new Uint8Array(),
  sender: null,
  receivedAt: 7,
};
const { signal } = new AbortController();

beforeEach(() => startVirtualTime());

function listed(identity: string, isHidden = false): ListedParticipant {
  return {
    identity,
    isHidden,
    name: '',
    sid: `PA_${identity}`,
    kind: 'standard',
    state: 'active',
    isAnnounced: true,
    readsTexts: false,
    joinedAt: 5,
    trackSids: [],
  };
}

function lookup(...lists: (ListedParticipant[] | Error)[]): SenderLookup {
  const listParticipants = async () => {
    const [list = []] = lists.splice(0, 1);
    if (list instanceof Error) throw list;
    return list;
  };
  return new SenderLookup({
    announce: () => {},
    isSigned: () => false,
    listParticipants,
    senderMs: 3500,
  });
}

/** Returns the join of a participant who was not announced. */
async function joinOf(identity: string): Promise<PresenceEvent> {
  const [join] = await lookup([listed(identity)]).completeSender(packet, new Set(), signal);
  if (join?.type !== 'participant_joined') throw new Error('there is no join');
  return join;
}

function describe(events: RoomEvent[]): string[] {
  return events.map((event) => {
    const who =
      event.type === 'participant_joined' ? event.participant : 'sender' in event && event.sender;
    return `${event.type} ${who ? who.identity : null}`;
  });
}

test('the only participant who was not announced is the sender, and joined before', async () => {
  const senders = lookup([listed('a'), listed('b'), listed('recorder-1'), listed('c', true)]);
  expect(describe(await senders.completeSender(packet, new Set(['a']), signal))).toEqual([
    'participant_joined b',
    'packet b',
  ]);
});

test('no sender when every participant was announced: a server sent the event', async () => {
  const events = await lookup([listed('a')]).completeSender(packet, new Set(['a']), signal);
  expect(describe(events)).toEqual(['packet null']);
});

test('what the API may have sent is not taken for the words of a stranger', async () => {
  const event = { ...packet, topic: API_TOPIC };
  const events = await lookup([listed('a')]).completeSender(event, new Set(), signal);
  expect(describe(events)).toEqual(['participant_joined a', 'packet null']);
  expect(events.at(-1)).toMatchObject({ candidates: [{ identity: 'a' }] });
});

test('nobody is asked who sent what the API has signed, and a stranger cannot sign', async () => {
  let asked = 0;
  const isSigned = packetVerifier(packetPublicKey({ apiSecret: 'secret' }));
  const senders = new SenderLookup({
    announce: () => {},
    isSigned: (sent) => isSigned('room', sent),
    async listParticipants() {
      asked += 1;
      return [listed('a')];
    },
    senderMs: 3500,
  });
  const sent = { type: 'user_text', data: 'over REST' };
  const receive = async (payload: Uint8Array) =>
    await senders.completeSender({ ...packet, topic: API_TOPIC, payload }, new Set(), signal);
  const signed = await receive(packetEncoder({ apiSecret: 'secret' })('room', sent));
  expect(signed).toMatchObject([{ sender: null, candidates: [], isSigned: true }]);
  expect(asked).toBe(0);
  const forged = [
    packetEncoder({ apiSecret: 'another' })('room', sent),
    packetEncoder({ apiSecret: 'secret' })('another room', sent),
    new TextEncoder().encode('no JSON'),
    // Signed for an agent that missed the text. Someone else may have kept this packet.
    packetEncoder({ apiSecret: 'secret' })('room', { ...sent, missed: true }),
  ];
  for (const payload of forged) {
    expect((await receive(payload)).at(-1)).not.toHaveProperty('isSigned');
  }
  expect(asked).toBe(4);
});

test('a participant who may have sent an event is announced, and one who was announced is not', async () => {
  const announced: string[] = [];
  const senders = new SenderLookup({
    announce: ({ identity }) => announced.push(identity),
    isSigned: () => false,
    listParticipants: async () => [listed('a'), listed('b'), listed('c'), listed('recorder-1')],
    senderMs: 3500,
  });
  const events = await senders.completeSender(packet, new Set(['a']), signal);
  expect(announced).toEqual(['b', 'c']);
  expect(events.at(-1)).toMatchObject({
    sender: null,
    candidates: [{ identity: 'b' }, { identity: 'c' }],
  });
});

test('no sender rather than a wrong one when two may have sent the event, after the joins of both', async () => {
  const events = await lookup([listed('a'), listed('b')]).completeSender(packet, new Set(), signal);
  expect(describe(events)).toEqual(['participant_joined a', 'participant_joined b', 'packet null']);
});

test('a participant who was announced and left before the server answered may have sent the event', async () => {
  // Announced in the same millisecond in which the event was received.
  const left = { ...(await joinOf('gone')), receivedAt: 7 };
  const former = { ...(await joinOf('former')), receivedAt: 6 };
  const senders = lookup([listed('a')], []);
  for (const event of [former, left]) senders.noteAnnounced(event);
  const events = await senders.completeSender(packet, new Set(), signal);
  expect(describe(events)).toEqual([
    'participant_joined a',
    'participant_joined gone',
    'packet null',
  ]);
  expect(events.at(-1)).toMatchObject({ candidates: [{ identity: 'a' }, { identity: 'gone' }] });
  expect(describe(await senders.completeSender(packet, new Set(), signal))).toContain(
    'packet gone',
  );
});

/** Looks up the sender in virtual time. Returns the events, and how many milliseconds the lookup took. */
async function timed(senders: SenderLookup): Promise<{ events: RoomEvent[]; tookMs: number }> {
  const began = performance.now();
  const looking = senders.completeSender(packet, new Set(), signal).then((events) => ({
    events,
    tookMs: performance.now() - began,
  }));
  await passTime(4000);
  return await looking;
}

test.each([
  [999, 'packet a', {}],
  [1000, 'packet null', { candidates: [{ identity: 'a' }] }],
])(
  'a server that answers after %i ms: %s, for the sender may have left, and another participant may have joined',
  async (answerMs, described, ascribed) => {
    const senders = new SenderLookup({
      announce: () => {},
      isSigned: () => false,
      async listParticipants() {
        await pause(answerMs, signal);
        return [listed('a')];
      },
      senderMs: 3500,
    });
    const { events, tookMs } = await timed(senders);
    expect([describe(events), tookMs]).toEqual([['participant_joined a', described], answerMs]);
    expect(events.at(-1)).toMatchObject(ascribed);
  },
);

test('a server that does not answer is asked again 100 ms later', async () => {
  const { events, tookMs } = await timed(lookup(new Error('away'), [listed('a')]));
  expect([describe(events), tookMs]).toEqual([['participant_joined a', 'packet a'], 100]);
});

test('a server that refuses is asked as long as an announcement may take, every 100 ms, and no event is lost', async () => {
  const askedAt: number[] = [];
  const began = performance.now();
  const senders = new SenderLookup({
    announce: () => {},
    isSigned: () => false,
    async listParticipants() {
      askedAt.push(performance.now() - began);
      throw new Error('away');
    },
    senderMs: 3500,
  });
  const { events, tookMs } = await timed(senders);
  expect([describe(events), tookMs]).toEqual([['packet null'], 3400]);
  expect(askedAt).toEqual(Array.from({ length: 35 }, (_, count) => 100 * count));
});

test('a lookup during a running request shares the answer to the next request', async () => {
  let asked = 0;
  const answers = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const senders = new SenderLookup({
    announce: () => {},
    isSigned: () => false,
    senderMs: 3500,
    async listParticipants() {
      asked += 1;
      await answers[asked - 1]?.promise;
      return asked === 1 ? [] : [listed('a')];
    },
  });
  const first = senders.completeSender(packet, new Set(), signal);
  await passTime(0);
  expect(asked).toBe(1);
  const others = [1, 2, 3].map(() => senders.completeSender(packet, new Set(), signal));
  for (const { resolve } of answers) resolve();
  expect(describe(await first)).toEqual(['packet null']);
  for (const other of others) expect(describe(await other)).toContain('packet a');
  expect(asked).toBe(2);
});

test('no sender when the server does not answer in time, and the event is not lost', async () => {
  const senders = new SenderLookup({
    announce: () => {},
    isSigned: () => false,
    listParticipants: () => new Promise(() => {}),
    senderMs: 3500,
  });
  const { events, tookMs } = await timed(senders);
  expect([describe(events), tookMs]).toEqual([['packet null'], 3500]);
});

test('a lookup that is aborted ends after the running request, without a sender', async () => {
  const senders = lookup(new Error('away'), [listed('a')]);
  const events = await senders.completeSender(packet, new Set(), AbortSignal.abort());
  expect(describe(events)).toEqual(['packet null']);
});

test('no sender in an empty room, and none that is hidden or a recorder', async () => {
  for (const list of [[], [listed('a', true)], [listed('recorder-1')]]) {
    const events = await lookup(list).completeSender(packet, new Set(), signal);
    expect(describe(events)).toEqual(['packet null']);
  }
});

test('a join that is found has the time of the server, and was received with its event', async () => {
  const [join] = await lookup([listed('a')]).completeSender(packet, new Set(), signal);
  expect(join).toMatchObject({ joinedAt: 5, receivedAt: 7, reason: null });
});

test.each([
  ['is listed', [listed('b'), listed('a')], ['participant_joined a', 'text_stream a'], 'PA_a'],
  ['is not listed any more', [listed('b')], ['text_stream a'], null],
])('the sender of a text stream who %s', async (_, list, expected, sid) => {
  const text: TextStreamEvent = {
    type: 'text_stream',
    topic: 'lk.chat',
    streamId: 'S_1',
    attributes: {},
    text: 'hello',
    hasEnded: true,
    sentAt: null,
    sender: { identity: 'a', name: '', sid: null, kind: 'unknown' },
    receivedAt: 7,
  };
  const events = await lookup(list).completeTextSender(text, signal);
  expect(describe(events)).toEqual(expected);
  expect(events.at(-1)).toMatchObject({ text: 'hello', sender: { identity: 'a', sid } });
});
