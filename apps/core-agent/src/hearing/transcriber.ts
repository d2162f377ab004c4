import { INCOMING_RATE } from '@session/media/room';
import * as z from 'zod';
import type { SpeechEndpoint } from '../endpoints/speech-endpoint.ts';
import { readBody, SpeechFailure, sendSpeechRequest } from '../endpoints/speech-request.ts';
import { wavOf } from './wav.ts';

const TIMEOUT_MS = 20_000;
const MAX_ANSWER_BYTES = 262_144;
const Answer = z.object({ text: z.string() });

export interface TranscriberOptions {
  readonly endpoint: SpeechEndpoint;
  readonly fetch: typeof fetch;
  readonly language: string;
}

export class Transcriber {
  readonly #endpoint: SpeechEndpoint;
  readonly #fetch: typeof fetch;
  readonly #language: string;

  constructor({ endpoint, fetch, language }: TranscriberOptions) {
    this.#endpoint = endpoint;
    this.#fetch = fetch;
    this.#language = language.split('-', 1)[0] ?? language;
  }

  /**
   * Returns the words in samples of `INCOMING_RATE`, or an empty text for noise. Throws a SpeechFailure, or the reason of
   * `signal`.
   */
  async transcribe(samples: Int16Array, signal: AbortSignal): Promise<string> {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const body = new FormData();
    body.set(
      'file',
      new Blob([wavOf(samples, INCOMING_RATE)], { type: 'audio/wav' }),
      'speech.wav',
    );
    body.set('model', this.#endpoint.model);
    body.set('language', this.#language);
    body.set('response_format', 'json');
    const request = { fetch: this.#fetch, path: '/audio/transcriptions', body, signal: limited };
    const response = await sendSpeechRequest(this.#endpoint, request);
    return wordsOf(await readBody(response, MAX_ANSWER_BYTES, limited));
  }
}

/**
 * Returns the words of an answer without descriptions of noise, such as `[BLANK_AUDIO]`, `(coughs)` or `*coughs*`. Text
 * with digits stays in round brackets and between asterisks, as in `(555) 123-4567` and `2 * 3 * 4`.
 */
function wordsOf(answer: string): string {
  const text = textOf(answer)
    .replaceAll(/\[[^\]]*\]|\([^)\d]*\)|\*[^*\d]*\*/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return /[\p{L}\p{N}]/u.test(text) ? text : '';
}

function textOf(answer: string): string {
  try {
    return Answer.parse(JSON.parse(answer)).text;
  } catch {
    throw new SpeechFailure('the answer is not a transcription');
  }
}
