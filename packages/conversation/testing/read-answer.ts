import type { AnswerEnd } from '../src/model/answer.ts';
import type { Model } from '../src/model/model.ts';
import { ModelClient, type ModelClientOptions } from '../src/model/model-client.ts';
import type { ModelFailure } from '../src/model/model-failure.ts';
import type { ModelRequest } from '../src/model/request-dialect.ts';
import type { ModelSettings } from '../src/settings/settings.ts';

export interface ReadAnswer extends AnswerEnd {
  readonly text: string;
  readonly busy: number;
  readonly failure: FailedAnswer | undefined;
}

/** Why there was no answer; only a ModelFailure has a kind. */
type FailedAnswer = Error & Partial<Pick<ModelFailure, 'kind' | 'retryAfterMs'>>;

const QUESTION: ModelRequest = { messages: [{ role: 'user', content: 'Good morning' }] };

/** Asks a new client and reads the whole answer; retries do not wait. What fails is in `failure`. */
export async function readAnswer(
  settings: ModelSettings,
  request: Partial<ModelRequest> = {},
  options: ModelClientOptions = {},
): Promise<ReadAnswer> {
  using client = new ModelClient(settings, { pauseScale: 0, ...options });
  return await readFrom(client, request);
}

export async function readFrom(
  client: Model,
  request: Partial<ModelRequest> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<ReadAnswer> {
  let text = '';
  let busy = 0;
  let end: AnswerEnd = { toolCalls: [], usage: undefined, isCut: false };
  let failure: FailedAnswer | undefined;
  try {
    for await (const output of client.stream({ ...QUESTION, ...request }, signal)) {
      if (output.type === 'text') text += output.text;
      if (output.type === 'retry' && output.isNewlyBusy) busy += 1;
      if (output.type === 'end') end = output;
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    failure = error;
  }
  return { text, busy, ...end, failure };
}
