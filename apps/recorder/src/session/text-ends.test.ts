import type { RoomEvent } from '@session/contract/room';
import { expect, test } from 'vitest';
import {
  ana,
  openEvents,
  packet,
  presence,
  textEnd,
  transcript,
} from '../../testing/session-events.ts';
import { until } from '../../testing/stage.ts';
import type { ReceivedText, SenderFinder } from '../message-path.ts';

test('events wait behind the end of a text until the text is known, and neither counts as stored meanwhile', async () => {
  const known = Promise.withResolvers<ReceivedText>();
  const { events, receive, written } = openEvents();
  events.receiveEnd(textEnd(known.promise, 7));
  receive({ ...packet('answer', 'second'), receivedAt: 8 });
  receive({ ...presence('participant_left', 'CLIENT_INITIATED'), receivedAt: 9 });
  expect([written, events.undecidedSince]).toEqual([[], 7]);
  const event = { ...transcript('question', true), receivedAt: 7 };
  known.resolve({ event, isConnected: true, announced: new Set(), unsavedSince: 3 });
  await until(() => written.length === 3);
  expect(written).toEqual(['question complete', 'answer complete', 'Ana left']);
  expect(events.undecidedSince).toBe(Infinity);
});

test('a text that ends before its sender is known keeps its position while the sender is looked up', async () => {
  const found = Promise.withResolvers<RoomEvent[]>();
  const senders: SenderFinder = {
    completeSender: async () => [],
    noteAnnounced: () => {},
    noteTrack: () => {},
    completeTextSender: () => found.promise,
  };
  const { events, receive, written } = openEvents({ senders });
  const event = { ...transcript('question', true), sender: { ...ana, sid: null } };
  const text = { event, isConnected: true, announced: new Set<string>() };
  events.receiveEnd(textEnd(Promise.resolve(text)));
  receive(packet('answer', 'second'));
  expect(written).toEqual([]);
  found.resolve([transcript('question', true)]);
  await until(() => written.length === 2);
  expect(written).toEqual(['question complete', 'answer complete']);
});

test('a text that cannot be read is lost alone', async () => {
  const { events, receive, written, skipped } = openEvents();
  events.receiveEnd(textEnd(Promise.reject(new Error('unreadable'))));
  receive(packet('answer', 'second'));
  await until(() => written.length === 1);
  expect([written, skipped.toJSON()]).toEqual([['answer complete'], { fault: 1 }]);
});

test('a text that is cut off at the end of the recording holds nothing back', async () => {
  const cut = Promise.withResolvers<ReceivedText>();
  const { events, receive, written } = openEvents();
  events.receiveEnd(textEnd(cut.promise));
  receive(packet('second', '2'));
  const ended = events.end(true);
  cut.resolve({ event: transcript('cut', true, false), isConnected: true, announced: new Set() });
  await ended;
  expect(written).toEqual(['cut pending', 'second complete']);
});

test('a packet that the SDK reports before the end of the text that it answers stands after the text', async () => {
  const { events, receive, written } = openEvents();
  events.receiveBegin({ identity: ana.identity, streamId: 'S_1', isOpened: true });
  receive({ ...packet('answer', 'second'), receivedAt: 7 });
  expect([written, events.undecidedSince]).toEqual([[], 7]);
  const event = transcript('question', true);
  events.receiveEnd(
    textEnd(Promise.resolve({ event, isConnected: true, announced: new Set() }), 8),
  );
  expect(events.undecidedSince).toBe(7);
  await until(() => written.length === 2);
  expect(written).toEqual(['question complete', 'answer complete']);
});

test('what waits for the end of a text is decided at once when the room is interrupted, and at the end', async () => {
  const interrupted = openEvents();
  const ended = openEvents();
  for (const { events, receive } of [interrupted, ended]) {
    events.receiveBegin({ identity: ana.identity, streamId: 'S_1', isOpened: true });
    receive(packet('hello'));
  }
  expect([interrupted.withoutId, ended.withoutId]).toEqual([[], []]);
  void interrupted.events.interrupted();
  expect(interrupted.withoutId).toEqual(['hello complete']);
  await ended.events.end(true);
  expect(ended.withoutId).toEqual(['hello complete']);
});
