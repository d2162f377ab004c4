import type { RoomEvent } from '@session/contract/room';
import { expect, test } from 'vitest';
import type { BegunText, EndedText, ReceivedEvent, ReceivedText } from '../message-path.ts';
import { EarlyEvents } from './early-events.ts';

function packet(receivedAt: number): ReceivedEvent {
  const event: RoomEvent = { type: 'packet', payload: new Uint8Array(), sender: null, receivedAt };
  return { event, isConnected: true, announced: new Set() };
}

function end(receivedAt: number): EndedText {
  const text: ReceivedText = {
    event: {
      type: 'text_stream',
      topic: 'lk.chat',
      streamId: 'S_1',
      attributes: {},
      text: 'words',
      hasEnded: true,
      sentAt: 0,
      sender: { identity: 'user-1', name: 'Ana', sid: 'PA_1', kind: 'standard' },
      receivedAt,
    },
    isConnected: true,
    announced: new Set(),
  };
  return { identity: 'user-1', streamId: 'S_1', receivedAt, text: Promise.resolve(text) };
}

/**
 * Returns a receiver of a link's events, and lists when each event was received, or the stream id for the beginning of
 * a text.
 */
function openReceiver() {
  const received: (number | string)[] = [];
  return {
    received,
    receive: ({ event }: ReceivedEvent) => void received.push(event.receivedAt),
    receiveBegin: ({ streamId }: BegunText) => void received.push(streamId),
    receiveEnd: ({ receivedAt }: EndedText) => void received.push(receivedAt),
    receiveTrack: () => {},
  };
}

test('what comes before there is a receiver is kept in order, texts too, and delivered once', () => {
  const events = new EarlyEvents(new AbortController().signal, () => {});
  expect(events.oldestAt).toBe(Infinity);
  events.receiveBegin({ identity: 'user-1', streamId: 'S_1', isOpened: false });
  expect(events.oldestAt).toBe(Infinity);
  events.receiveEnd(end(3));
  events.receive(packet(5));
  expect(events.oldestAt).toBe(3);
  const receiver = openReceiver();
  events.deliver(receiver);
  expect([receiver.received, events.oldestAt]).toEqual([['S_1', 3, 5], Infinity]);
  events.receive(packet(7));
  events.receiveEnd(end(9));
  expect([receiver.received, events.oldestAt]).toEqual([['S_1', 3, 5, 7, 9], Infinity]);
});

test('a room that is left keeps nothing: no receiver will follow', () => {
  const leaving = new AbortController();
  const events = new EarlyEvents(leaving.signal, () => {});
  events.receive(packet(1));
  leaving.abort();
  events.receiveEnd(end(2));
  expect(events.oldestAt).toBe(Infinity);
});

test('more than 10,000 early events are refused, and each is reported', () => {
  const errors: unknown[] = [];
  const events = new EarlyEvents(new AbortController().signal, (error) => errors.push(error));
  for (let at = 0; at < 10_002; at += 1) events.receive(packet(at));
  const receiver = openReceiver();
  events.deliver(receiver);
  expect([receiver.received.length, errors.length]).toEqual([10_000, 2]);
});
