import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { durationMs, type Pcm, tone } from './pcm.ts';
import { serve } from './serve.ts';
import { fromWav, toBytes, toWav } from './wav.ts';

interface SpeechCall {
  /** How many requests of the same endpoint came before this one. */
  readonly index: number;
  /** When it came: `performance.now()`. */
  readonly at: number;
  readonly authorization: string | undefined;
  readonly model: string;
  /** Aborts when the client aborts the request, and when it is answered. */
  readonly closed: AbortSignal;
}

interface TranscriptionCall extends SpeechCall {
  /** The samples of the WAV file that the client sent. */
  readonly audio: Pcm;
  readonly audioMs: number;
  readonly fields: Readonly<Record<string, string>>;
}

export interface SpeakCall extends SpeechCall {
  readonly text: string;
  readonly voice: string;
  /** `pcm` or `wav`. */
  readonly format: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a scripted endpoint does with a request instead of answering it with words or sound. */
export type SpeechFault = (response: ServerResponse) => void | Promise<void>;

/** What the endpoints answer. A test may replace both functions at any time. */
export interface SpeechScript {
  /** Returns the words in the audio. By default `Utterance 1`, `Utterance 2` and so on. */
  transcribe: (call: TranscriptionCall) => string | SpeechFault | Promise<string | SpeechFault>;
  /** Returns the sound of the text. By default `toneOf`. */
  speak: (call: SpeakCall) => Pcm | SpeechFault | Promise<Pcm | SpeechFault>;
}

/** OpenAI's two endpoints for speech on a port of their own. Disposal cuts all open requests. */
export interface SpeechEndpoints extends AsyncDisposable {
  readonly baseUrl: string;
  readonly script: SpeechScript;
  readonly transcriptions: readonly TranscriptionCall[];
  readonly speeches: readonly SpeakCall[];
}

/** Returns the frequency of `toneOf` for the request with this index: 400, 500 … 1100 Hz, and again from 400. */
function toneFrequency(index: number): number {
  return 400 + 100 * (index % 8);
}

/** Returns a tone that stands for the text: 50 ms for each character, at least 300 ms, with the frequency of the request. */
export function toneOf({ text, index }: Pick<SpeakCall, 'text' | 'index'>): Pcm {
  return tone(toneFrequency(index), Math.max(300, 50 * text.length));
}

/** Starts scripted endpoints for speech on loopback. */
export async function startSpeechEndpoints(
  answers: Partial<SpeechScript> = {},
): Promise<SpeechEndpoints> {
  const script: SpeechScript = {
    transcribe: ({ index }) => `Utterance ${index + 1}`,
    speak: toneOf,
    ...answers,
  };
  const transcriptions: TranscriptionCall[] = [];
  const speeches: SpeakCall[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.url === '/v1/audio/transcriptions') {
      const call = await readTranscription(request, response, transcriptions);
      const answer = await script.transcribe(call);
      if (typeof answer === 'string') sendJson(response, 200, { text: answer });
      else await answer(response);
    } else if (request.url === '/v1/audio/speech') {
      const call = await readSpeak(request, response, speeches);
      const answer = await script.speak(call);
      if (typeof answer === 'function') await answer(response);
      else sendSound(response, encode(answer, call.format), call.format);
    } else {
      sendJson(response, 404, { error: { message: `no ${request.url}` } });
    }
  };
  const server = await serve((request, response) => {
    respond(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else sendJson(response, 400, { error: { message: String(error) } });
    });
  });
  return {
    ...server,
    baseUrl: `${server.url}/v1`,
    script,
    transcriptions,
    speeches,
  };
}

/** Answers with this status, and an error as OpenAI words it. */
export function failSpeech(
  status: number,
  headers: Readonly<Record<string, string>> = {},
): SpeechFault {
  return (response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    sendJson(response, status, { error: { message: `Scripted failure ${status}`, code: null } });
  };
}

/** Accepts the request and never answers it. */
export function stallSpeech(): SpeechFault {
  return () => {};
}

/** Answers a request for speech with the first half of the sound, and cuts the connection. */
export function cutSpeech(sound: Pcm): SpeechFault {
  const bytes = toBytes(sound);
  return (response) => {
    response.writeHead(200, { 'content-type': 'audio/pcm', 'content-length': bytes.length });
    response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
  };
}

/** Sends `sound` as `pcm` in `parts` parts, one after each `intervalMs`. */
export function sendSlowly(sound: Pcm, parts: number, intervalMs: number): SpeechFault {
  const bytes = toBytes(sound);
  const size = 2 * Math.ceil(bytes.length / 2 / parts);
  return (response) => {
    response.writeHead(200, { 'content-type': 'audio/pcm' });
    let offset = 0;
    const timer = setInterval(() => {
      response.write(bytes.subarray(offset, offset + size));
      offset += size;
      if (offset < bytes.length) return;
      clearInterval(timer);
      response.end();
    }, intervalMs);
    response.on('close', () => clearInterval(timer));
  };
}

function encode(sound: Pcm, format: string): Buffer {
  return format === 'wav' ? toWav(sound) : toBytes(sound);
}

function sendSound(response: ServerResponse, bytes: Buffer, format: string): void {
  response.writeHead(200, { 'content-type': `audio/${format}`, 'content-length': bytes.length });
  response.end(bytes);
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function begin({ headers }: IncomingMessage, response: ServerResponse) {
  const closed = new AbortController();
  response.on('close', () => closed.abort());
  return { at: performance.now(), authorization: headers.authorization, closed: closed.signal };
}

async function readTranscription(
  request: IncomingMessage,
  response: ServerResponse,
  calls: TranscriptionCall[],
): Promise<TranscriptionCall> {
  const begun = begin(request, response);
  const headers = { 'content-type': request.headers['content-type'] ?? '' };
  const form = await new Response(Buffer.from(await buffer(request)), { headers }).formData();
  const fields: Record<string, string> = {};
  let audio: Pcm | undefined;
  for (const [name, value] of form) {
    if (typeof value === 'string') fields[name] = value;
    else audio = fromWav(new Uint8Array(await value.arrayBuffer()));
  }
  if (!audio) throw new Error('no file');
  const [model, audioMs] = [fields['model'] ?? '', durationMs(audio)];
  const call = { ...begun, index: calls.length, model, audio, audioMs, fields };
  calls.push(call);
  return call;
}

async function readSpeak(
  request: IncomingMessage,
  response: ServerResponse,
  calls: SpeakCall[],
): Promise<SpeakCall> {
  const begun = begin(request, response);
  const parsed: unknown = JSON.parse((await buffer(request)).toString('utf8'));
  const body: Record<string, unknown> =
    typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  const field = (name: string) => {
    const value = body[name];
    return typeof value === 'string' ? value : '';
  };
  const call = {
    ...begun,
    index: calls.length,
    model: field('model'),
    text: field('input'),
    voice: field('voice'),
    format: field('response_format'),
    body,
  };
  calls.push(call);
  return call;
}
