import { ReadableStream } from 'node:stream/web';
import type { inference, voice } from '@livekit/agents';
import { AudioFrame } from '@livekit/rtc-node';
import { INCOMING_RATE } from '@session/media/room';

/** How long a participant must be silent before the end of speech is reported. The turn detector needs at least 200 ms. */
const SILENCE_MS = 250;
/** With less memory, the end-of-turn model of some 250 MB is not loaded. */
const TURN_MODEL_MIN_BYTES = 768 * 1024 * 1024;

export interface Framework {
  readonly vad: inference.VAD;
  /** Returns a detector for one participant. The function is undefined without enough memory for the model. */
  readonly openTurnDetector: ((language: string) => Promise<TurnDetector>) | undefined;
  readonly textTransforms: typeof voice.textTransforms;
}

export interface TurnDetector {
  push(frame: AudioFrame): void;
  isTurnOver(): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * Loads LiveKit's framework, which takes a second and 100 MB. It exports no telemetry, because the agent starts none of
 * its sessions.
 */
export async function loadFramework(): Promise<Framework> {
  const [agents, { default: models }] = await Promise.all([
    import('@livekit/agents'),
    import('@livekit/local-inference'),
  ]);
  // Fails now if the models cannot be loaded. Otherwise the framework would hear nothing and report nothing.
  models.initVad();
  // Comes first, because each part of the framework needs a logger.
  agents.initializeLogger({ pretty: false, level: 'error' });
  const { inference, normalizeLanguage, voice } = agents;
  const vad = new inference.VAD({
    minSilenceDuration: SILENCE_MS,
    // We keep the sound ourselves, because the framework drops sound beyond its limit.
    maxBufferedSpeech: 1000,
  });
  const openTurnDetector = async (language: string): Promise<TurnDetector> => {
    const executor = { doInference: predictEndOfTurn };
    const detector = new inference.TurnDetector({ version: 'v1-mini', executor });
    const code = normalizeLanguage(language);
    const threshold = (await detector.supportsLanguage(code))
      ? await detector.unlikelyThreshold(code)
      : undefined;
    const stream = detector.stream();
    return {
      push: (frame) => stream.pushAudio(frame),
      async isTurnOver() {
        if (threshold === undefined) return true;
        const { endOfTurnProbability } = await stream.predict().await;
        return endOfTurnProbability >= threshold;
      },
      close: () => stream.aclose(),
    };
  };
  return {
    vad,
    openTurnDetector: hasMemoryForTurns() ? openTurnDetector : undefined,
    textTransforms: voice.textTransforms,
  };
}

/** Returns samples as a frame of the framework. They must begin at the start of their buffer, because a frame ignores offsets. */
export function frameOf(samples: Int16Array<ArrayBuffer>): AudioFrame {
  return new AudioFrame(samples, INCOMING_RATE, 1, samples.length);
}

export function streamOf(text: string): ReadableStream<string> {
  return ReadableStream.from([text]);
}

async function predictEndOfTurn(_method: string, data: unknown): Promise<unknown> {
  const { default: model } = await import('@livekit/local-inference');
  const beganAt = performance.now();
  const probability = await model.predict(samplesOf(data));
  return { probability, inferenceDurationMs: performance.now() - beganAt };
}

function samplesOf(data: unknown): Int16Array {
  const pcm = typeof data === 'object' && data !== null && 'pcm' in data ? data.pcm : undefined;
  if (typeof pcm !== 'string') throw new TypeError('the framework handed over no samples');
  const bytes = Buffer.from(pcm, 'base64');
  const samples = new Int16Array(Math.floor(bytes.length / 2));
  for (const index of samples.keys()) samples[index] = bytes.readInt16LE(index * 2);
  return samples;
}

/** A control group may limit the memory. An agent that runs as a process has its role's limit, which is enough. */
function hasMemoryForTurns(): boolean {
  const limitBytes = process.constrainedMemory();
  return limitBytes === 0 || limitBytes >= TURN_MODEL_MIN_BYTES;
}
