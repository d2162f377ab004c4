import type { VADEvent } from '@livekit/agents';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Framework } from '../framework.ts';
import { type ListenerEvents, PersonListener } from './person-listener.ts';

const TIMES = { minMs: 500, maxMs: 500, interruptMinMs: 500 };

/** Listens to a person whose speech is what the test reports as `activity`. */
function listen(events: Partial<ListenerEvents>) {
  const audioEnd = Promise.withResolvers<void>();
  const activities: ReadableStreamDefaultController<Partial<VADEvent>>[] = [];
  const activity = new ReadableStream<Partial<VADEvent>>({
    start: (controller) => void activities.push(controller),
  });
  const stream = Object.assign(activity, { close: () => activities[0]?.close() });
  const framework: Framework = Object({ vad: { stream: () => stream } });
  const frames = async function* () {
    await audioEnd.promise;
    yield* [];
  };
  const listener = new PersonListener({
    audio: Object({ frames: frames(), participant: {}, trackSid: 'TR_1' }),
    framework,
    detector: undefined,
    times: TIMES,
    events: {
      isAgentSounding: () => true,
      speaks: () => {},
      talksOver: () => {},
      saidNothing: () => {},
      said: async () => {},
      transcribe: async () => '',
      ...events,
    },
  });
  const listening = listener.listen();
  onTestFinished(async () => {
    audioEnd.resolve();
    await listening;
  });
  const report = async (fields: Partial<VADEvent>) => {
    activities[0]?.enqueue(fields);
    await vi.advanceTimersByTimeAsync(0);
  };
  return {
    speak: async (ms: number) => await report({ speaking: true, speechDuration: ms }),
    fallSilent: async (ms: number) =>
      await report({ speaking: false, speechDuration: ms, silenceDuration: 250 }),
  };
}

test('a turn whose words are late lets the agent go on for itself alone, not for the next turn', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const held: object[] = [];
  const resumed: object[] = [];
  const words = Promise.withResolvers<string>();
  const { speak, fallSilent } = listen({
    talksOver: (turn) => void held.push(turn),
    saidNothing: (turn) => void resumed.push(turn),
    transcribe: async () => await words.promise,
  });
  onTestFinished(() => words.resolve(''));
  await speak(600);
  await speak(700);
  await fallSilent(700);
  await vi.advanceTimersByTimeAsync(1000);
  await speak(600);
  expect(new Set(held).size).toBe(2);
  await vi.advanceTimersByTimeAsync(3000);
  expect(resumed).toEqual([held[0]]);
  expect(resumed[0]).toBe(held[0]);
});

test('the end of a turn is not noticed as speech: its words are awaited since the last sound', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  let notices = 0;
  const transcribed: Int16Array[] = [];
  let isAgentSounding = true;
  const { speak, fallSilent } = listen({
    isAgentSounding: () => isAgentSounding,
    speaks: () => {
      notices += 1;
    },
    transcribe: async (samples) => {
      transcribed.push(samples);
      return '';
    },
  });
  await speak(300);
  isAgentSounding = false;
  await fallSilent(300);
  const before = notices;
  await vi.advanceTimersByTimeAsync(249);
  expect(transcribed).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(transcribed).toHaveLength(1);
  expect(notices).toBe(before);
});
