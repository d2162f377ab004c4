import type { SpeakingEndpoint } from '../endpoints/speech-endpoint.ts';
import { readParts, SpeechFailure, sendSpeechRequest } from '../endpoints/speech-request.ts';

export const SPEECH_RATE = 24_000;
/** How long an endpoint may send nothing. Some send the first byte only when they have spoken the whole sentence. */
const SILENT_MS = 15_000;
const MAX_BYTES = 3 * 60 * SPEECH_RATE * 2;

export class Synthesizer {
  readonly #endpoint: SpeakingEndpoint;
  readonly #fetch: typeof fetch;

  constructor(endpoint: SpeakingEndpoint, fetchEndpoint: typeof fetch) {
    this.#endpoint = endpoint;
    this.#fetch = fetchEndpoint;
  }

  async probe(signal: AbortSignal): Promise<void> {
    await this.synthesize('Hello.', signal).next();
  }

  /**
   * Yields the sound as it arrives: mono, `SPEECH_RATE` samples a second. Throws a SpeechFailure, or the reason of `signal`.
   */
  async *synthesize(text: string, signal: AbortSignal): AsyncGenerator<Int16Array<ArrayBuffer>> {
    const { model, voice } = this.#endpoint;
    const silence = new AbortController();
    const timer = setTimeout(
      () => silence.abort(new DOMException('silent', 'TimeoutError')),
      SILENT_MS,
    );
    const limited = AbortSignal.any([signal, silence.signal]);
    const body = JSON.stringify({ model, voice, input: text, response_format: 'pcm' });
    try {
      const request = { fetch: this.#fetch, path: '/audio/speech', body, signal: limited };
      const response = await sendSpeechRequest(this.#endpoint, request);
      const samples = new Samples();
      for await (const part of readParts(response, limited)) {
        timer.refresh();
        if (samples.sizeBytes === 0) refuseContainers(part);
        yield samples.of(part);
        if (samples.sizeBytes > MAX_BYTES) return;
      }
      if (samples.sizeBytes === 0) throw new SpeechFailure('the answer is empty');
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * Throws when an endpoint ignores the format and sends a file such as WAV or MP3, which would be loud noise if played as
 * samples.
 */
function refuseContainers(part: Uint8Array): void {
  const start = Buffer.from(part.subarray(0, 4)).toString('latin1');
  if (/^(?:RIFF|ID3|OggS|fLaC|\xff[\xf2\xf3\xfa\xfb])/.test(start)) {
    throw new SpeechFailure('the endpoint sends a file, not the format pcm');
  }
}

class Samples {
  sizeBytes = 0;
  #rest: Uint8Array = new Uint8Array();

  of(part: Uint8Array): Int16Array<ArrayBuffer> {
    this.sizeBytes += part.byteLength;
    const bytes = Buffer.concat([this.#rest, part]);
    const samples = new Int16Array(Math.floor(bytes.length / 2));
    for (const index of samples.keys()) samples[index] = bytes.readInt16LE(index * 2);
    this.#rest = bytes.subarray(samples.length * 2);
    return samples;
  }
}
